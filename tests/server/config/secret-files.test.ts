/** Tests how secrets are read from files. No message contains a secret or the path, because the path may be the secret by mistake. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StartProblem } from '#server/config/config.ts'
import { readEnvironment, resolveSecretFiles } from '#server/config/secret-files.ts'

const secret = '5e'.repeat(32)
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portal-secrets-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

describe('a setting NAME_FILE', () => {
  test.each([
    ['without a line break', secret],
    ['with a line break at the end', `${secret}\n`],
    ['with several line breaks of Windows at the end', `${secret}\r\n\r\n`],
    ['with a byte order mark', `\uFEFF${secret}\n`],
  ])('sets NAME from a file %s', (title, content) => {
    const path = write(title, content)
    expect(resolveSecretFiles({ TOKEN_KEY_FILE: path })).toEqual({ TOKEN_KEY_FILE: path, TOKEN_KEY: secret })
  })

  test('preserves line breaks inside the value and spaces', () => {
    const text = `-----BEGIN ${'PRIVATE'} KEY-----\nAAAA\n-----END ${'PRIVATE'} KEY----- `
    expect(resolveSecretFiles({ ALIPAY_PRIVATE_KEY_FILE: write('pem', `${text}\n`) })).toMatchObject({
      ALIPAY_PRIVATE_KEY: text,
    })
  })

  test('may name a link to a file, as Kubernetes mounts secrets', () => {
    symlinkSync(write('linked', secret), join(folder, 'link'))
    expect(resolveSecretFiles({ TOKEN_KEY_FILE: join(folder, 'link') })).toMatchObject({ TOKEN_KEY: secret })
  })

  test.each([
    'TOKEN_KEY',
    'AUDIT_KEY',
    'AUDIT_KEY_NEXT',
    'BACKUP_KEY',
    'BACKUP_KEYS_BEFORE',
    'DATABASE_URL',
    'MIGRATE_DATABASE_URL',
    'LISTEN_DATABASE_URL',
    'BACKUP_DATABASE_URL',
    'SERVICE_DATABASE_URL',
    'SERVICE_REGISTRY_PASSWORD',
    'SMTP_URL',
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'ALIPAY_PRIVATE_KEY',
    'GLOBAL_ALIPAY_PRIVATE_KEY',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
  ])('exists for the secret %s', (name) => {
    expect(resolveSecretFiles({ [`${name}_FILE`]: write('any', 'its value\n') })[name]).toBe('its value')
  })

  test('changes neither the given environment nor that of the process', () => {
    const path = write('own', secret)
    const env = Object.freeze({ TOKEN_KEY_FILE: path })
    expect(resolveSecretFiles(env)['TOKEN_KEY']).toBe(secret)
    process.env.BACKUP_KEY_FILE = path
    try {
      expect(readEnvironment()['BACKUP_KEY']).toBe(secret)
      expect(process.env.BACKUP_KEY).toBeUndefined()
    } finally {
      delete process.env.BACKUP_KEY_FILE
    }
  })

  test('is ignored if it is empty, like every setting', () => {
    expect(resolveSecretFiles({ TOKEN_KEY_FILE: '', TOKEN_KEY: secret })).toMatchObject({ TOKEN_KEY: secret })
  })
})

describe('a start is refused with one sentence that repeats neither path nor content', () => {
  const expectRefusal = (env: Record<string, string>, sentence: string) => {
    let problem: unknown = null
    try {
      resolveSecretFiles(env)
    } catch (error) {
      problem = error
    }
    expect(problem).toBeInstanceOf(StartProblem)
    const { message, cause } = problem as StartProblem
    expect(message).toBe(sentence)
    expect(cause).toBeUndefined()
    expect(message).not.toContain(folder)
    expect(message).not.toContain(secret)
  }
  const doesNotExist =
    'The file that TOKEN_KEY_FILE names does not exist: TOKEN_KEY_FILE must be a path, not the value.'

  test('if NAME and NAME_FILE are both set', () => {
    expectRefusal(
      { TOKEN_KEY: secret, TOKEN_KEY_FILE: write('twice', secret) },
      'TOKEN_KEY and TOKEN_KEY_FILE are both set: unset one of them.',
    )
  })

  test('if the file does not exist, or if the value is the secret itself', () => {
    expectRefusal({ TOKEN_KEY_FILE: join(folder, 'missing') }, doesNotExist)
    expectRefusal({ TOKEN_KEY_FILE: join(write('file', secret), 'below') }, doesNotExist)
    expectRefusal({ TOKEN_KEY_FILE: secret }, doesNotExist)
    expectRefusal(
      { TOKEN_KEY_FILE: secret.repeat(100) },
      'The file that TOKEN_KEY_FILE names cannot be read (ENAMETOOLONG).',
    )
    expectRefusal(
      { TOKEN_KEY_FILE: 'a\0b' },
      'The file that TOKEN_KEY_FILE names cannot be read (ERR_INVALID_ARG_VALUE).',
    )
  })

  test('if it is a folder, a pipe or a device', () => {
    const sentence = 'TOKEN_KEY_FILE must name a file, not a folder, a pipe or a device.'
    mkdirSync(join(folder, 'folder'))
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
    for (const path of [join(folder, 'folder'), join(folder, 'pipe'), '/dev/zero'])
      expectRefusal({ TOKEN_KEY_FILE: path }, sentence)
  })

  test.each(['', '\n', '\r\n\n', '  \n', '\uFEFF'])('if it is empty (%j)', (content) => {
    expectRefusal(
      { TOKEN_KEY_FILE: write('empty', content) },
      'The file that TOKEN_KEY_FILE names is empty: write the value into it.',
    )
  })

  test('if it is larger than 64 kB', () => {
    expect(resolveSecretFiles({ SMTP_URL_FILE: write('full', 'x'.repeat(65_536)) })['SMTP_URL']).toHaveLength(65_536)
    expectRefusal(
      { SMTP_URL_FILE: write('large', 'x'.repeat(65_537)) },
      'The file that SMTP_URL_FILE names is larger than 64 kB, so it is not a secret of the portal.',
    )
  })

  test.each([
    ['bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0xfe])],
    ['a zero byte', Buffer.from(`${secret}\0`)],
    ['UTF-16', Buffer.from(`\uFEFF${secret}`, 'utf16le')],
    ['an escape sequence', Buffer.from(`\u001b[31m${secret}`)],
  ])('if it contains %s', (_title, content) => {
    expectRefusal(
      { TOKEN_KEY_FILE: write('binary', content) },
      'The file that TOKEN_KEY_FILE names is not a text file: it must contain the value as text.',
    )
  })

  test('if this user may not read it', () => {
    chmodSync(write('private', secret), 0)
    asOrdinaryUser(() =>
      expectRefusal(
        { TOKEN_KEY_FILE: join(folder, 'private') },
        'This user is not allowed to read the file that TOKEN_KEY_FILE names: change its owner or mode.',
      ),
    )
  })
})

/** The superuser may read every file, so it works as the user `nobody` meanwhile. */
function asOrdinaryUser(work: () => void): void {
  if (process.getuid?.() !== 0) return work()
  process.seteuid?.(65_534)
  try {
    work()
  } finally {
    process.seteuid?.(0)
  }
}
