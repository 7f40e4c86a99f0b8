# Shared by the scripts next to this folder: a Python environment for this checkout, and what Qt needs of the system.
# Sourced, never run. All functions may be called again at any time; what is in place already is left alone.
# shellcheck shell=bash disable=SC2034

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
VENV="${HOOKSCOPE_VENV:-$ROOT/.venv}"
TORCH="torch==2.13.0"

# "what to look for|Debian package". lib: a shared library, tool: a command, font: any font at all.
QT_NEEDS=(
  "lib:libEGL.so.1|libegl1"
  "lib:libGL.so.1|libgl1"
  "lib:libxkbcommon-x11.so.0|libxkbcommon-x11-0"
  "lib:libxcb-cursor.so.0|libxcb-cursor0"
  "lib:libxcb-icccm.so.4|libxcb-icccm4"
  "lib:libxcb-keysyms.so.1|libxcb-keysyms1"
  "lib:libxcb-shape.so.0|libxcb-shape0"
  "lib:libxcb-image.so.0|libxcb-image0"
  "lib:libxcb-render-util.so.0|libxcb-render-util0"
  "lib:libxcb-randr.so.0|libxcb-randr0"
  "lib:libxcb-xinerama.so.0|libxcb-xinerama0"
  "lib:libdbus-1.so.3|libdbus-1-3"
  "lib:libfontconfig.so.1|libfontconfig1"
  "lib:libglib-2.0.so.0|libglib2.0-0"
  "font:any|fonts-dejavu-core"
)
WINDOW_TEST_NEEDS=(
  "tool:Xvfb|xvfb"
  "tool:xdotool|xdotool"
  "tool:openbox|openbox"
)

say() { printf '==> %s\n' "$*" >&2; }
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Print the first Python that is new enough, the user's own `python3` before others.
find_python() {
  local candidate
  for candidate in python3 python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  fail "Python 3.11 or newer is needed, and none of python3, python3.13, python3.12, python3.11 is"
}

has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; }

# PyPI's own build for Linux brings CUDA along; a version with a local part (2.13.0+cpu) sorts above it where it is
# offered. `===` takes the name without a local part only.
install_torch() {
  local pip=("$VENV/bin/python" -m pip install)
  if [[ -n "${HOOKSCOPE_TORCH_INDEX:-}" ]]; then
    say "installing $TORCH from $HOOKSCOPE_TORCH_INDEX"
    "${pip[@]}" --index-url "$HOOKSCOPE_TORCH_INDEX" "$TORCH"
  elif [[ "$(uname -s)" == Linux ]] && has_gpu; then
    say "installing $TORCH with CUDA, as this machine has a GPU (several GB)"
    "${pip[@]}" "${TORCH/==/===}" || "${pip[@]}" "$TORCH"
  else
    say "installing $TORCH, the CPU build where pip is offered one"
    if [[ "$(uname -s)" == Linux ]]; then
      say "(no GPU here; if pip begins to load CUDA packages, stop it and set HOOKSCOPE_TORCH_INDEX, see README.md)"
    fi
    "${pip[@]}" "$TORCH"
  fi
}

# prepare_environment [EXTRA]: makes $VENV with this checkout in it, and with the packages of an optional extra.
# A stamp with a checksum of what decides the result makes the second time a matter of milliseconds.
prepare_environment() {
  local extra="${1:-}" stamp wanted python
  stamp="$VENV/.hookscope${extra:+-$extra}"
  wanted="$ROOT $TORCH $(cksum <"$ROOT/pyproject.toml")"
  if [[ -x "$VENV/bin/python" && -f "$stamp" && "$(<"$stamp")" == "$wanted" ]]; then
    return
  fi
  if ! "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
    if [[ -e "$VENV" && ! -f "$VENV/pyvenv.cfg" && -n "$(ls -A "$VENV")" ]]; then
      fail "$VENV is there and is no virtual environment; it is left alone, please name another one"
    fi
    python="$(find_python)"
    say "making $VENV with $("$python" --version)"
    "$python" -m venv --clear "$VENV" ||
      fail "no virtual environment could be made; on Debian and Ubuntu: sudo apt-get install python3-venv"
  fi
  "$VENV/bin/python" -c 'import torch' 2>/dev/null || install_torch
  say "installing hookscope${extra:+ with what its ${extra}s need} into $VENV"
  "$VENV/bin/python" -m pip install --editable "$ROOT${extra:+[$extra]}"
  printf '%s' "$wanted" | tee "$VENV/.hookscope" >"$stamp"
}

# is_present KIND:NAME LIBRARIES: whether a row of the tables above is there.
is_present() {
  local name="${1#*:}"
  case "$1" in
    lib:*) [[ "$2" == *"$name"* ]] ;;
    tool:*) command -v "$name" >/dev/null ;;
    font:*) [[ -n "$(find /usr/share/fonts /usr/local/share/fonts "$HOME/.fonts" "$HOME/.local/share/fonts" \
      -name '*.[to]t[fc]' -print -quit 2>/dev/null)" ]] ;;
  esac
}

# prepare_system ROW...: installs what is missing through apt when root, else says what to type, and goes on.
# Elsewhere than on Debian and its like nothing is looked for.
prepare_system() {
  local row libraries missing=()
  if [[ "$(uname -s)" != Linux ]] || ! command -v apt-get >/dev/null; then
    return
  fi
  libraries="$(PATH="$PATH:/usr/sbin:/sbin" ldconfig -p)"
  for row in "$@"; do
    is_present "${row%%|*}" "$libraries" || missing+=("${row##*|}")
  done
  if ((${#missing[@]} == 0)); then
    return
  fi
  if ((EUID == 0)); then
    say "installing system packages: ${missing[*]}"
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
  else
    say "system packages are missing here; should Qt not start, please type:"
    printf '    sudo apt-get update && sudo apt-get install --no-install-recommends %s\n' "${missing[*]}" >&2
  fi
}
