"""How values go together: singular values, similarity of rows, scatter, embedding, and attention."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional

from hookscope.engine.views import build_view, spectrum
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import (
    AttentionRequest,
    Axes,
    CosineRequest,
    EmbeddingRequest,
    Image,
    NoPicture,
    NoPictureReason,
    Points,
    ScatterRequest,
    SingularValuesRequest,
    Spectrum,
    Tiles,
    ViewRequest,
)

NAN, INF = math.nan, math.inf
KEY = TensorRef("attention.key", Slot.OUTPUT, "out")


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


def singular(tensor: torch.Tensor) -> Spectrum:
    result = build_view(tensor, SingularValuesRequest())
    assert isinstance(result, Spectrum)
    return result


def cosine(tensor: torch.Tensor, request: CosineRequest | None = None) -> Image:
    result = build_view(tensor, request or CosineRequest())
    assert isinstance(result, Image)
    return result


def scatter(tensor: torch.Tensor, other: torch.Tensor, max_points: int = 100) -> Points:
    result = build_view(tensor, ScatterRequest(KEY, max_points), other)
    assert isinstance(result, Points)
    return result


def embedding(tensor: torch.Tensor, request: EmbeddingRequest | None = None) -> Points:
    result = build_view(tensor, request or EmbeddingRequest())
    assert isinstance(result, Points)
    return result


def attention(query: torch.Tensor, key: torch.Tensor, request: AttentionRequest) -> Tiles:
    result = build_view(query, request, key)
    assert isinstance(result, Tiles)
    assert result.recomputed
    return result


def refusal(tensor: torch.Tensor, request: ViewRequest, other: torch.Tensor | None = None) -> NoPictureReason:
    result = build_view(tensor, request, other)
    assert isinstance(result, NoPicture)
    return result.reason


def test_that_singular_values_are_those_of_the_matrix() -> None:
    found = singular(torch.tensor([[3.0, 0.0, 0.0], [0.0, -5.0, 0.0]]))
    np.testing.assert_allclose(found.values.to_numpy(), [5, 3], rtol=1e-15)
    assert (found.rows, found.columns, found.rank, found.flattened) == (2, 3, 2, False)


def test_that_more_dims_are_flattened_to_a_matrix() -> None:
    tensor = normal(4, 2, 3, 3)
    found = singular(tensor)
    np.testing.assert_allclose(found.values.to_numpy(), torch.linalg.svdvals(tensor.flatten(1).double()), rtol=1e-12)
    assert (found.rows, found.columns, found.shape, found.flattened) == (4, 18, (4, 2, 3, 3), True)


def test_that_rounding_is_no_rank() -> None:
    vector = normal(20, 1)
    assert singular(vector @ vector.T).rank == 1
    assert singular(torch.zeros(3, 3)).rank == 0
    assert singular(torch.ones(3, 3, dtype=torch.int64)).rank == 1


def test_that_complex_matrices_have_singular_values() -> None:
    np.testing.assert_allclose(singular(torch.tensor([[3j, 0], [0, -1]])).values.to_numpy(), [3, 1], rtol=1e-12)


def test_that_matrices_without_singular_values_are_refused() -> None:
    assert refusal(torch.tensor([[1.0, NAN]]), SingularValuesRequest()) is NoPictureReason.NOT_FINITE
    large = torch.zeros(1).expand(spectrum.MAX_SIDE + 1, spectrum.MAX_SIDE + 1)
    assert refusal(large, SingularValuesRequest()) is NoPictureReason.TOO_LARGE
    huge = torch.zeros(1).expand(10**5, 10**5)
    assert refusal(huge, SingularValuesRequest(exact=True)) is NoPictureReason.TOO_LARGE


def test_that_rows_are_compared_by_their_direction() -> None:
    found = cosine(torch.tensor([[1.0, 0.0], [1e30, 1e30], [0.0, -1e-30]]))
    half = math.sqrt(0.5)
    np.testing.assert_allclose(found.pixels.to_numpy(), [[1, half, 0], [half, 1, -half], [0, -half, 1]], atol=1e-7)
    assert (found.rows, found.columns, found.mask) == (3, 3, None)


def test_that_rows_without_a_direction_are_masked() -> None:
    found = cosine(torch.tensor([[1.0, 0.0], [0.0, 0.0], [1.0, INF]]))
    assert found.mask is not None
    assert found.mask.to_numpy().tolist() == [[0, 1, 1], [1, 1, 1], [1, 1, 1]]


def test_that_every_so_many_th_of_very_many_rows_is_compared() -> None:
    tensor = normal(2, 10, 5)
    found = cosine(tensor, CosineRequest(Axes(index=(1,)), max_rows=4))
    rows = tensor[1, ::3].double()
    expected = functional.cosine_similarity(rows[:, None], rows[None], dim=2)
    np.testing.assert_allclose(found.pixels.to_numpy(), expected, atol=1e-6)
    assert (found.row_stride, found.column_stride, found.rows, found.seen, found.count) == (3, 3, 10, 20, 50)


def test_that_pairs_of_values_are_points() -> None:
    found = scatter(torch.tensor([[1.0, 2.0], [NAN, 4.0]]), torch.tensor([5, 6, 7, 8]))
    assert found.x.to_numpy().tolist() == [1, 2, 4]
    assert found.y.to_numpy().tolist() == [5, 6, 8]
    assert found.places.to_numpy().tolist() == [0, 1, 3]
    assert (found.count, found.stride, found.non_finite, found.dim, found.explained) == (4, 1, 1, None, None)


def test_that_very_many_pairs_are_sampled_alike() -> None:
    tensor = torch.arange(1000.0).reshape(10, 100)
    for other in (-tensor, (-tensor).T.contiguous().T, (-tensor).flatten()):
        found = scatter(tensor, other, max_points=100)
        assert found.x.to_numpy().tolist() == list(range(0, 1000, 11))
        assert found.y.to_numpy().tolist() == list(range(0, -1000, -11))
        assert (found.stride, found.seen, found.count) == (11, 91, 1000)


def test_that_tensors_of_other_sizes_are_no_pairs() -> None:
    assert refusal(torch.zeros(3), ScatterRequest(KEY), torch.zeros(4)) is NoPictureReason.MISMATCH


def test_that_an_embedding_is_the_plane_of_the_largest_variance() -> None:
    plane = normal(50, 2) * torch.tensor([5.0, 1.0])
    turned, _ = torch.linalg.qr(normal(8, 8))
    for rows in (plane @ turned[:2], (plane @ turned[:2]).repeat(1, 20)):
        found = embedding(rows + 100.0)
        centred = (rows - rows.mean(0)).double()
        points = np.stack((found.x.to_numpy(), found.y.to_numpy()), axis=1)
        distances = torch.cdist(centred, centred)
        np.testing.assert_allclose(torch.cdist(*[torch.from_numpy(points)] * 2), distances, atol=1e-3)
        assert found.explained is not None
        assert sum(found.explained) == pytest.approx(1.0, abs=1e-6)
        variances = torch.linalg.svdvals(centred)[:2] ** 2
        assert found.explained == pytest.approx((variances / variances.sum()).tolist(), abs=1e-6)


def test_that_entries_that_are_not_finite_are_left_out_of_an_embedding() -> None:
    tensor = normal(6, 3, 2)
    tensor[2, 0, 0] = NAN
    found = embedding(tensor)
    assert found.places.to_numpy().tolist() == [0, 1, 3, 4, 5]
    assert (found.non_finite, found.count, found.dim) == (1, 6, 0)
    assert found.x.to_numpy()[np.abs(found.x.to_numpy()).argmax()] > 0


@pytest.mark.parametrize(
    "tensor", [torch.ones(1, 4), torch.full((5, 3), 0.1), torch.zeros(2, 2), torch.full((3, 2), NAN)], ids=str
)
def test_that_equal_entries_are_one_point(tensor: torch.Tensor) -> None:
    found = embedding(tensor)
    assert set(found.x.to_numpy().tolist() + found.y.to_numpy().tolist()) <= {0.0}
    assert found.explained == (0.0, 0.0)


def test_that_a_single_feature_is_a_line() -> None:
    found = embedding(torch.tensor([[1.0], [2.0], [6.0]]))
    np.testing.assert_allclose(found.x.to_numpy(), [-2, -1, 3], rtol=1e-12)
    assert found.y.to_numpy().tolist() == [0, 0, 0]
    assert found.explained == pytest.approx((1.0, 0.0))


def test_that_any_dim_of_very_many_entries_is_embedded() -> None:
    tensor = normal(4, 100, 70)
    found = embedding(tensor, EmbeddingRequest(dim=1, max_points=30, max_features=100))
    assert (found.count, found.stride, found.places.shape) == (100, 4, (25,))
    assert (found.seen < found.elements, found.elements) == (True, 28_000)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("split", [False, True])
def test_that_attention_is_what_the_fused_function_weighs_with(causal: bool, split: bool) -> None:
    query, key = normal(2, 3, 5, 4), normal(2, 3, 5, 4).flip(0)
    # With the identity for values, the fused function returns its weights.
    values = torch.eye(5).expand(2, 3, 5, 5)
    weights = functional.scaled_dot_product_attention(query, key, values, is_causal=causal)
    if not split:
        query, key = (each.transpose(1, 2).flatten(2) for each in (query, key))
    found = attention(query, key, AttentionRequest(KEY, heads=3, causal=causal, sample=1))
    np.testing.assert_allclose(found.pixels.to_numpy(), weights[1], atol=1e-6)
    assert found.labels == ((0,), (1,), (2,))
    assert (found.shape, found.axes) == ((2, 3, 5, 5), Axes(2, 3, 1, (1, 0, 0, 0)))


def test_that_sequences_may_come_first() -> None:
    query = normal(5, 2, 6)
    found = attention(query, query, AttentionRequest(KEY, heads=2, batch_first=False, sample=1))
    turned = attention(query.transpose(0, 1), query.transpose(0, 1), AttentionRequest(KEY, heads=2, sample=1))
    assert found == turned


def test_that_heads_may_share_a_key() -> None:
    query, key = normal(1, 4, 3, 2), normal(1, 2, 3, 2)
    found = attention(query, key, AttentionRequest(KEY))
    expected = attention(query, key.repeat_interleave(2, dim=1), AttentionRequest(KEY))
    assert found == expected
    flat = attention(query.transpose(1, 2).flatten(2), key.transpose(1, 2).flatten(2), AttentionRequest(KEY, heads=4))
    assert flat == expected


def test_that_the_last_query_sees_all_of_more_keys() -> None:
    found = attention(torch.zeros(2, 1), torch.zeros(4, 1), AttentionRequest(KEY, causal=True))
    third = pytest.approx(1 / 3)
    assert found.pixels.to_numpy()[0].tolist() == [[third, third, third, 0], [0.25] * 4]


def test_that_long_sequences_are_strided_after_the_softmax() -> None:
    query = normal(100, 8)
    found = attention(query, query, AttentionRequest(KEY, max_pixels=1000))
    whole = attention(query, query, AttentionRequest(KEY)).pixels.to_numpy()
    np.testing.assert_allclose(found.pixels.to_numpy(), whole[:, :: found.stride, :: found.stride], atol=1e-6)
    assert found.stride == 4
    assert (found.seen, found.count) == (625, 10_000)


def test_that_heads_are_paged_and_scaled() -> None:
    query = normal(3, 10)
    found = attention(query, query, AttentionRequest(KEY, heads=5, page=9, max_tiles=2, scale=0.0))
    assert (found.labels, found.page, found.pages, found.total) == (((4,),), 2, 3, 5)
    np.testing.assert_allclose(found.pixels.to_numpy(), np.full((1, 3, 3), 1 / 3), rtol=1e-6)


@pytest.mark.parametrize(
    ("query", "key", "heads"),
    [((5, 6), (5, 6), 4), ((1, 3, 5, 4), (1, 2, 5, 4), 1), ((1, 2, 5, 4), (1, 2, 5, 3), 1), ((2, 5, 6), (3, 5, 6), 2)],
)
def test_that_a_query_and_a_key_that_do_not_fit_are_refused(
    query: tuple[int, ...], key: tuple[int, ...], heads: int
) -> None:
    request = AttentionRequest(KEY, heads=heads)
    assert refusal(torch.zeros(query), request, torch.zeros(key)) is NoPictureReason.MISMATCH
