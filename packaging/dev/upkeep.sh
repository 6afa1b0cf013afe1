# shellcheck shell=bash
# Keeping the sources right: checks, benches, what is generated, locked versions. Read by ./dev.

check() {
    setup_check
    cd "$checkout"
    local failed=0 tool
    "$python" -I -m ruff format --check . || failed=1
    "$python" -I -m ruff check . || failed=1
    "$python" -I -m mypy || failed=1
    "$python" -I -m mypy --scripts-are-modules app/launch.py app/launch_fleet.py packaging/{pages.py,workplace.py,changelog,release} resources/ansible_collections/disktuner/disktuner/plugins/filter/*.py || failed=1
    PYTHONPATH=$checkout/app:$checkout/helper "$python" -P "$checkout/.venv/bin/lint-imports" || failed=1
    isolated "$python" "$checkout/tests/clocks.py" || failed=1
    isolated "$python" "$checkout/tests/circles.py" || failed=1
    for tool in dev packaging/dev/*.sh packaging/{private-system,install,place,put-back,root,package,private-libraries} packaging/bin/* tests/machine/build-image .ci/run; do
        bash -n "$tool" || failed=1
    done
    return "$failed"
}

bench() {
    setup_test
    here=$checkout
    local names=("$@") name
    if [ ${#names[@]} -eq 0 ]; then
        for name in "$checkout"/tests/bench/bench_*.py; do names+=("$(basename "$name" .py)"); done
    fi
    case " ${names[*]} " in *' bench_gui'*) install_compared ;; esac
    case " ${names[*]} " in *' replays'*) install_packages "$checkout/packaging/packages-replays.txt" ;; esac
    for name in "${names[@]}"; do
        say "$name"
        if [ "$name" = felt ]; then # in a virtual computer
            build_machine qemu trixie
            (cd "$checkout" && PYTHONPATH=$checkout:$checkout/app "$python" -P -m tests.bench.felt)
            continue
        fi
        QT_QPA_PLATFORM=offscreen privately test env PYTHONPATH="$checkout:$checkout/app" python -P -m "tests.bench.${name%.py}"
    done
}

docs() {
    setup_test
    local part
    for part in docs_tables gui.pictures; do
        PYTHONPATH=$checkout:$checkout/app "$python" -P -m "tests.$part"
    done
}

languages() { # FILE.po...
    local each files=()
    setup_test
    for each in "$@"; do files+=("$(cd "$here" && realpath -e -- "$each")"); done
    PYTHONPATH=$checkout:$checkout/app "$python" -P -m tests.catalogues "${files[@]}"
    compile_languages
}

screenshots() {
    [ $# -eq 1 ] || fail "say where to: ./dev screenshots DIR"
    setup_test
    mkdir -p "$1"
    cd -- "$1"
    here=$PWD
    export QT_QPA_PLATFORM=offscreen
    in_own_folder . privately test python -I "$checkout/tests/gui/screenshots.py" .
}

lock() {
    setup_test
    local with=(--universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet)
    cd "$checkout"
    isolated "$python" -m pip install --quiet uv
    "$checkout/.venv/bin/uv" pip compile "${with[@]}" --upgrade pyproject.toml -o requirements/app.lock
    "$checkout/.venv/bin/uv" pip compile "${with[@]}" --upgrade --extra dev -c requirements/app.lock pyproject.toml -o requirements/dev.lock
    "$checkout/.venv/bin/uv" pip compile "${with[@]}" --upgrade requirements/ansible.in -o requirements/ansible.lock
    "$checkout/.venv/bin/uv" pip compile "${with[@]}" --upgrade requirements/release.in -o requirements/release.lock
    "$checkout/.venv/bin/uv" pip compile "${with[@]}" --upgrade -c requirements/dev.lock requirements/pages.in -o requirements/pages.lock
}
