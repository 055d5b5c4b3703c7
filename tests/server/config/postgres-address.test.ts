import { describe, expect, it } from 'vitest'
import { readConfig, StartProblem } from '#server/config/config.ts'
import { describePostgresAddress, parsePostgresAddress } from '#server/config/postgres-address.ts'

describe('parsePostgresAddress', () => {
  it.each([
    ['postgres://u:p@a/db', 'a:5432/db'],
    ['postgresql://u:p@a:6000/db', 'a:6000/db'],
    ['postgres://u:p@a:5432,b:5433/db', 'a:5432,b:5433/db'],
    ['postgres://u:p@[::1]:5433,[2001:db8::7],10.0.0.1/db', '[::1]:5433,[2001:db8::7]:5432,10.0.0.1:5432/db'],
    ['postgres://u@/db?host=/run/postgresql', '/run/postgresql:5432/db'],
    ['postgres://u@%2Frun%2Fpostgresql/db', '/run/postgresql:5432/db'],
    ['postgres:///db?host=a,b&port=1,2', 'a:1,b:2/db'],
    ['postgres:///db?host=a,b&port=7', 'a:7,b:7/db'],
    ['postgres://u@a?dbname=db', 'a:5432/db'],
    ['postgres://localhost/My%20portal', 'localhost:5432/My portal'],
    ['  postgres://u:p@a/db\n', 'a:5432/db'],
  ])('finds the hosts of %s', (text, expected) => {
    expect(describePostgresAddress(parsePostgresAddress(text))).toBe(expected)
  })

  it.each([
    ['p%40ss%2Fw%3A%23', 'p@ss/w:#'],
    ['p@ss', 'p@ss'],
    ['a:b', 'a:b'],
    ['100%', '100%'],
    ['%E4%BD%A0', '你'],
    ['%ff', '%ff'],
    ['', null],
  ])('decodes the password %s', (text, expected) => {
    expect(parsePostgresAddress(`postgres://u:${text}@a/db`).password).toBe(expected)
  })

  it('reads the TLS mode with the meaning of libpq', () => {
    const readTls = (query: string) => parsePostgresAddress(`postgres://u@a/db${query}`).tls
    const noFiles = { rootCertificate: null, certificate: null, key: null }
    expect(readTls('')).toEqual({ mode: 'disable', ...noFiles })
    expect(readTls('?ssl=true')).toEqual({ mode: 'require', ...noFiles })
    expect(readTls('?sslmode=require&sslrootcert=/r.crt')).toMatchObject({
      mode: 'verify-ca',
      rootCertificate: '/r.crt',
    })
    expect(readTls('?sslmode=verify-full&sslrootcert=system')).toEqual({ mode: 'verify-full', ...noFiles })
    expect(readTls('?sslmode=verify-full&sslcert=/c&sslkey=/k')).toMatchObject({ certificate: '/c', key: '/k' })
  })

  it('needs a writable host by default if there are several', () => {
    const isNeeded = (text: string) => parsePostgresAddress(text).requiresWritable
    expect(isNeeded('postgres://a/db')).toBe(false)
    expect(isNeeded('postgres://a,b/db')).toBe(true)
    expect(isNeeded('postgres:///db?host=a,b')).toBe(true)
    expect(isNeeded('postgres://a,b/db?target_session_attrs=any')).toBe(false)
    expect(isNeeded('postgres://a/db?target_session_attrs=read-write')).toBe(true)
  })
})

describe('DATABASE_URL', () => {
  it.each([
    'mysql://u:hush@a/db',
    'hush',
    'postgres:/u:hush@a/db',
    'postgres://u:hush/@a/db',
    'postgres://u:12?hush@a/db',
    'postgres://u:12#hush@a/db',
    'postgres://u:hush/db',
    'postgres://u:hush%00@a/db',
    'postgres://u:hush@a:0/db',
    'postgres://u:hush@a:70000/db',
    'postgres://u:hush@a:5432:5432/db',
    'postgres://u:hush@a,,b/db',
    'postgres://u:hush@[::1/db',
    'postgres://u:hush@[10.0.0.1]/db',
    'postgres://u:hush@a b/db',
    `postgres://u:hush@${Array.from({ length: 11 }, (_, index) => `h${index}`).join(',')}/db`,
    'postgres://u:hush@/db?host=a,b&port=1,2,3',
    'postgres://u:hush@a/db?sslmode=strict',
    'postgres://u:hush@a/db?sslmode=verify-ca',
    'postgres://u:hush@a/db?sslmode=require&sslrootcert=system',
    'postgres://u:hush@a/db?sslmode=require&sslcert=/c',
    'postgres://u:hush@a/db?sslrootcert=/r',
    'postgres://u:hush@a,b/db?target_session_attrs=standby',
    'postgres://u:hush@a/db?hush=1',
  ])('is refused in one sentence that does not repeat it: %s', (DATABASE_URL) => {
    let message = ''
    try {
      readConfig({ DATABASE_URL })
    } catch (error) {
      expect(error).toBeInstanceOf(StartProblem)
      message = (error as Error).message
    }
    expect(message).toMatch(/^DATABASE_URL must [^\n]*\.$/)
    expect(message).not.toContain('hush')
  })
})

describe('the limits of connections', () => {
  it('have defaults and bounds', () => {
    expect(readConfig({}).database).toEqual({ poolSize: 20, connectMs: 5000, statementMs: 20_000, lockMs: 2000 })
    for (const [name, value] of [
      ['DATABASE_POOL_SIZE', '1'],
      ['DATABASE_POOL_SIZE', '201'],
      ['DATABASE_CONNECT_TIMEOUT_SECONDS', '0'],
      ['DATABASE_STATEMENT_TIMEOUT_SECONDS', '1.5'],
      ['DATABASE_LOCK_TIMEOUT_SECONDS', '-1'],
    ] as const)
      expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be a whole number`))
  })
})
