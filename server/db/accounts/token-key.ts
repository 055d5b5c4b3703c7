/**
 * Reads and checks the token key, from which token pairs, request fingerprints and the default of other keys are derived. The key comes
 * from the environment or from a file that only its owner can read. The database stores a fingerprint of the key. The server does not start
 * with another key, because stored fingerprints, seals and secrets would no longer match.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, StartProblem } from '#server/config/config.ts'
import { readFact, setFactOnce } from '#server/db/installation-facts.ts'
import { type DatabaseOwner, runInTransaction } from '#server/db/transaction.ts'

const factName = 'token key'

/** Reads the key file, and creates it at the first start. Throws StartProblem if other users can read the file (S-80). */
export async function readTokenKeyFile({ dataDir }: Pick<Config, 'dataDir'>): Promise<Buffer> {
  const path = join(dataDir, 'token.key')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // If two servers start at the same time, both use the file that was written first.
  await writeFile(path, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  })
  if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0)
    throw new StartProblem(`Other users can read the key file ${path}: run chmod 600 on it.`)
  const key = Buffer.from((await readFile(path, 'latin1')).trim(), 'hex')
  if (key.length !== 32) throw new StartProblem(`The key file ${path} does not contain 64 hexadecimal digits.`)
  return key
}

export async function checkTokenKey(
  app: DatabaseOwner & { config: Pick<Config, 'tokenKey' | 'isTokenKeyConfigured' | 'dataDir'> },
): Promise<void> {
  const keyFingerprint = createHash('sha256').update('token key').update(app.config.tokenKey).digest('hex').slice(0, 16)
  const storedFingerprint = await runInTransaction(app, { role: 'portal_system' }, async (db) => {
    await setFactOnce(db, factName, keyFingerprint)
    return readFact(db, factName)
  })
  if (storedFingerprint === keyFingerprint) return
  const source = app.config.isTokenKeyConfigured ? 'TOKEN_KEY' : `The key file in ${app.config.dataDir}`
  throw new StartProblem(`${source} is not the key of this database: see docs/operating.md for how to change the key.`)
}
