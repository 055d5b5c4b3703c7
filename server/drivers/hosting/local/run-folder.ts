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
export function runFolderOf(folder: string): string {
  const own = join(resolve(folder), 'run')
  const fits = Buffer.byteLength(own) + 1 + nameBytes <= maxBytes
  const path = fits ? own : join(tmpdir(), `portal-${digest(resolve(folder))}`)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid()))
    throw new Error(`${path} is not a folder of ours`)
  // Users of services pass through it to their own sockets.
  chmodSync(path, process.getuid?.() === 0 ? 0o711 : 0o700)
  return path
}

const digest = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 16)

export const controlSocket = (folder: string): string => join(runFolderOf(folder), 'supervisor.sock')
