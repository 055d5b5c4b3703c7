/** Shares this process's compile cache with its child processes. Compiling takes half of their start time. */
import { getCompileCacheDir } from 'node:module'

export function getCompileCacheEnv(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}
