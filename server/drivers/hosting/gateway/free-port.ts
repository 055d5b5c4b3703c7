/** Chooses the port of a gateway that has no configured port, and remembers it, so that addresses of services stay the same. */
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { readJsonFile, writeFileAtomically } from '#server/drivers/hosting/atomic-file.ts'

/**
 * Range of free ports to choose from, below the ephemeral ports. If an outgoing connection had the port, the gateway could not use it
 * again.
 */
const portRange = { first: 20_000, end: 32_000 }

/** Returns a random port that is probably free. */
export const chooseFreePort = (): number => randomInt(portRange.first, portRange.end)

const getPath = (folder: string) => join(folder, 'gateway.json')

/** Returns the port of the previous gateway of this folder. Null if there was none. */
export function readRememberedPort(folder: string): number | null {
  const port = readJsonFile<{ port?: number }>(getPath(folder))?.port ?? 0
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null
}

/** The folder must exist. */
export const rememberPort = (folder: string, port: number): void =>
  writeFileAtomically(getPath(folder), JSON.stringify({ port }))
