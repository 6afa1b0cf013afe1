# shellcheck shell=bash
# Building packages and releases. Read by ./dev.

package_elsewhere() { # rpm|arch: what their tools need is theirs to say
    local folder
    installed=yes pages
    folder=$(mktemp -d /tmp/disktuner.XXXXXX)
    "$checkout/packaging/package" "$1" "$folder"
    mkdir -p "$checkout/dist"
    find "$folder" -maxdepth 1 '(' -name '*.rpm' -o -name '*.pkg.tar*' ')' -exec cp -t "$checkout/dist" {} +
    rm -rf "$folder"
}

check_suite() { # NAME
    cut -d ' ' -f 1 "$checkout/packaging/suites" | grep -v '^#' | grep -qxF -- "$1" ||
        fail "'$1' is no release that packages are made for. Name one of packaging/suites: bookworm, for example."
}

package() { # [SUITE]
    local own suite folder root='' version=''
    case ${1:-} in rpm | arch) package_elsewhere "$1"; return ;; esac
    own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    suite=${1:-$own}
    check_suite "$suite"
    install_packages "$checkout/packaging/packages-build.txt"
    pages
    if [ "$suite" != "$own" ]; then
        install_packages "$checkout/packaging/packages-machine.txt"
        say "a root of $suite to build in (made once)"
        root=$(grep -v '^#' "$checkout/packaging/packages-build.txt" | as_root xargs "$checkout/packaging/root" make "$suite" "$roots")
    fi
    version=$(isolated /usr/bin/python3 -c 'import os, sys; print(os.path.basename(os.readlink(sys.argv[1])).removeprefix("python"))' \
        "$root/usr/bin/python3")
    folder=$(mktemp -d /tmp/disktuner.XXXXXX)
    "$checkout/packaging/package" sources "$suite" "$folder" "$version"
    say "building the packages for $suite"
    if [ -n "$root" ]; then
        as_root "$checkout/packaging/root" run "$root" "$folder:/build" "$checkout:/checkout" -- /checkout/packaging/package build /build
    else
        "$checkout/packaging/package" build "$folder"
    fi
    mkdir -p "$checkout/dist"
    (cd "$folder" && rm -rf disktuner-*/ && cp -t "$checkout/dist" -- *)
    as_root rm -rf "$folder"
    say "built into ./dist: $(cd "$checkout/dist" && echo *"$(sed -n "s/^$suite \([^ ]*\).*/\1/p" "$checkout/packaging/suites")"*.deb)"
}

release() { # VERSION [ARG...]
    install_packages "$checkout"/packaging/packages-{build,machine,pages,review}.txt
    install_apart release cyclonedx_py
    isolated /usr/bin/python3 "$checkout/packaging/release" "$@"
}
