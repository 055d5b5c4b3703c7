/** The folder of what this process has compiled, for a process that it starts: to compile its modules anew is half of its start. */
import { getCompileCacheDir } from 'node:module'

export function getCompileCacheEnv(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}
