import { generateKeyPair, randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

interface KeyPair {
  publicKey: string
  privateKey: string
}

export interface SandboxKeys {
  stripe: { secretKey: string; publishableKey: string; webhookSecret: string }
  appId: string
  sellerId: string
  partner: string
  shop: KeyPair
  /** Key pair of the sandbox, in the role of Alipay. */
  gateway: KeyPair
}

export async function loadSandboxKeys(path: string): Promise<SandboxKeys> {
  const storedKeys = await readFile(path, 'utf8').catch(() => null)
  if (storedKeys !== null) return JSON.parse(storedKeys) as SandboxKeys
  const keys = await makeKeys()
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // If two processes start at the same time, the keys of the first one are used.
  await writeFile(path, `${JSON.stringify(keys, null, 2)}\n`, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  })
  return JSON.parse(await readFile(path, 'utf8')) as SandboxKeys
}

async function makeKeys(): Promise<SandboxKeys> {
  const createRandomHex = () => randomBytes(18).toString('hex')
  const createDigits = (length: number) => String(randomBytes(8).readBigUInt64BE()).padStart(length, '7').slice(-length)
  const [shop, gateway] = await Promise.all([makePair(), makePair()])
  return {
    stripe: {
      secretKey: `sk_test_${createRandomHex()}`,
      publishableKey: `pk_test_${createRandomHex()}`,
      webhookSecret: `whsec_${createRandomHex()}`,
    },
    appId: `2021${createDigits(12)}`,
    sellerId: `2088${createDigits(12)}`,
    partner: `2088${createDigits(12)}`,
    shop,
    gateway,
  }
}

const makePair = (): Promise<KeyPair> =>
  promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
