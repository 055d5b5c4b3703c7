import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/** As PostgreSQL itself does it. */
const iterations = 4_096

/** Builds what PostgreSQL stores instead of a password (RFC 5803). The password must consist of ASCII characters. */
export function buildPasswordVerifier(password: string): string {
  const salt = randomBytes(16)
  const saltedPassword = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const computeKey = (name: string) => createHmac('sha256', saltedPassword).update(name).digest()
  const storedKey = createHash('sha256').update(computeKey('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${computeKey('Server Key').toString('base64')}`
}
