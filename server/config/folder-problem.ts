import { StartProblem } from '#server/config/config.ts'

const folderErrors = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'ELOOP'])

/** Turns an error of the file system, for example a folder of another user, into a StartProblem. Returns other errors unchanged. */
export function toFolderProblem(error: unknown, hostingDir: string): unknown {
  const { code = '', path = hostingDir } = error as NodeJS.ErrnoException
  if (!folderErrors.has(code)) return error
  return new StartProblem(
    `The portal cannot use ${path} (${code}): set HOSTING_DIR to a folder of its user, or HOSTING to elsewhere or off.`,
    { cause: error },
  )
}
