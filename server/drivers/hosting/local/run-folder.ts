/** Chooses the folder of the sockets: below `folder`, or a short private folder if that path is too long for a socket. */
import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Maximum length of a socket path in bytes. Systems allow 104 to 108, including the terminating zero. */
const maxBytes = 103
/** Maximum length of a socket's path within the folder. */
const nameBytes = 32

/** Creates the folder if it does not exist. Throws if another user owns a folder with that name. */
export function openRunFolder(folder: string): string {
  const ownFolder = join(resolve(folder), 'run')
  const isShortEnough = Buffer.byteLength(ownFolder) + 1 + nameBytes <= maxBytes
  const path = isShortEnough ? ownFolder : join(tmpdir(), `portal-${hashPath(resolve(folder))}`)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const stats = lstatSync(path)
  if (!stats.isDirectory() || (process.getuid && stats.uid !== process.getuid()))
    throw new Error(`${path} is not a folder of this user`)
  // System users of instances must be able to traverse the folder to their own sockets.
  chmodSync(path, process.getuid?.() === 0 ? 0o711 : 0o700)
  return path
}

const hashPath = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 16)

export const getControlSocket = (folder: string): string => join(openRunFolder(folder), 'supervisor.sock')
