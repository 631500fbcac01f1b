#!/bin/sh
# Compiles by ccache: compile_with_ccache.sh SOURCE_FOLDER CCACHE COMPILER ARGUMENTS...
# What one checkout has compiled, others find, wherever they are. A precompiled header contains paths of its checkout:
# ccache hashes the file with .sum beside it instead, which this script makes of the header's text and macros.
export CCACHE_BASEDIR="$1" CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 CCACHE_SLOPPINESS=pch_defines,time_macros
ccache=$2
shift 2

output=
previous=
for argument; do
  shift
  # CMake gives precompiled headers to clang by -Xclang, whose arguments ccache takes as they are.
  set -- "$@" "${argument#"$PWD"/}"
  [ "$previous" = -o ] && output=$argument
  previous=$argument
done
case $output in
*.pch) unset CCACHE_BASEDIR CCACHE_NOHASHDIR ;; # clang looks for the files in it where they were
esac
"$ccache" "$@" || exit

case $output in
*.pch)
  for argument; do
    shift
    [ "$argument" = -emit-pch ] && argument=-P # no line numbers, which have paths
    set -- "$@" "$argument"
  done
  text=$("$@" -E -dD -o -) || exit
  printf '%s' "$text" | sha256sum > "$output.sum"
  ;;
esac
