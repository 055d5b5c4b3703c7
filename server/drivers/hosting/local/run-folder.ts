/** Where the sockets are: in the folder, or where its path is too long for one, in a short one that is ours alone. */
import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Of a path, in bytes: the systems allow 104 to 108 with the zero at its end. */
const maxBytes = 103
/** As long as the name of a socket may be. */
const nameBytes = 32

/** Made if it is not there. Throws where somebody else has a folder of that name. */
export function openRunFolder(folder: string): string {
  const ownFolder = join(resolve(folder), 'run')
  const isShortEnough = Buffer.byteLength(ownFolder) + 1 + nameBytes <= maxBytes
  const path = isShortEnough ? ownFolder : join(tmpdir(), `portal-${hashPath(resolve(folder))}`)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const stats = lstatSync(path)
  if (!stats.isDirectory() || (process.getuid && stats.uid !== process.getuid()))
    throw new Error(`${path} is not a folder of ours`)
  // Users of services pass through it to their own sockets.
  chmodSync(path, process.getuid?.() === 0 ? 0o711 : 0o700)
  return path
}

const hashPath = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 16)

export const getControlSocket = (folder: string): string => join(openRunFolder(folder), 'supervisor.sock')
