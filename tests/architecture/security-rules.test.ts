/** What the code may not do, looked up in the code itself (S-04, S-09, S-10, S-69, S-81). */
import { describe, expect, it } from 'vitest'
import { parseSync } from 'vite'
import { importsOf, isCode, read, under } from '#tests/architecture/tree.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

const server = under('server', 'demo').filter(isCode)
const isMigration = (file: string) => file.startsWith('server/db/migrations/')
const having = (files: string[], pattern: RegExp) => files.filter((file) => pattern.test(read(file)))

describe('SQL (S-04)', () => {
  /** Text that reaches the database as it stands; all else that is put into a statement is a parameter. */
  const asItStands = /\bsql\.(raw|lit)\(|\bCompiledQuery\.raw\(/
  /** A statement as a string, with something put into it. */
  const built = /\.(query|exec|executeSql)\(\s*(`[^`]*\$\{(?!escapeIdentifier\()|['"][^'"\n]*['"]\s*\+)/

  it('is never made from what was sent: what stands in it as text is written in these files', () => {
    const found = having(
      server.filter((file) => !isMigration(file)),
      asItStands,
    )
    // Statements that are constants, with $1 for each value; and in the catalogue an expression and a number.
    expect(found).toEqual([
      'server/db/accounts/tokens.ts',
      'server/db/audit/audit-trail.ts',
      'server/db/catalogue/apps.ts',
      'server/db/catalogue/catalogue.ts',
      'server/db/idempotency.ts',
      'server/db/record-outcome.ts',
      'server/db/transaction.ts',
    ])
    expect(having(server, built)).toEqual([])
  })

  it('that is made from strings would be found', () => {
    const names = 'table'
    for (const text of ['sql.raw(given)', `pool.query(\`select * from $\{${names}}\`)`, "db.query('select ' + given)"])
      expect([text, asItStands.test(text) || built.test(text)]).toEqual([text, true])
    for (const text of ["pool.query('select pg_notify($1, $2)', [a])", 'sql`select ${given}`'])
      expect([text, asItStands.test(text) || built.test(text)]).toEqual([text, false])
  })
})

describe('requests that the server makes (S-09)', () => {
  const ways = new Set(
    'node:http node:https node:http2 node:tls node:dgram undici axios nodemailer stripe alipay-sdk'.split(' '),
  )
  const fetches = having(server, /\bfetch\(/)

  it('go to gateways and the mail server alone, from their drivers', () => {
    const reaching = server.filter((file) =>
      importsOf(file).some(({ specifier, typesOnly }) => !typesOnly && ways.has(specifier)),
    )
    // The sandbox's calls go to the portal itself, on the same machine; those of hosting to sockets of it. The limits are a server's.
    expect([...new Set([...reaching, ...fetches])].toSorted()).toEqual([
      'demo/payment-sandbox/webhooks.ts',
      'server/drivers/hosting/local/socket-http.ts',
      'server/drivers/mail/smtp.ts',
      'server/drivers/payment/alipay.ts',
      'server/drivers/payment/global-alipay.ts',
      'server/drivers/payment/stripe.ts',
      'server/http/flood-limits.ts',
    ])
    expect(having(server, /import \{[^}]*\b(connect|createConnection|Socket)\b[^}]*\} from 'node:net'/)).toEqual([])
  })

  it('follow no redirect', () => {
    expect(fetches).toHaveLength(2)
    expect(fetches.filter((file) => !/redirect: '(error|manual)'/.test(read(file)))).toEqual([])
  })
})

describe('regular expressions (S-10)', () => {
  interface Expression {
    file: string
    source: string
    flags: string
  }
  /** What each of them reads is short or well-formed before it comes there. */
  const spared: Record<string, string> = {
    'demo/payment-sandbox/pages.ts': 'an amount as we write it',
    'src/domain/money.ts': 'an amount as we write it',
    'server/use-cases/sessions/user-agent.ts': 'an IPv4 address',
  }
  const expressionsIn = (file: string): Expression[] => {
    const found: Expression[] = []
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      const { regex } = node as { regex?: { pattern: string; flags: string } }
      if (regex) found.push({ file, source: regex.pattern, flags: regex.flags })
      else for (const child of Object.values(node)) walk(child)
    }
    walk(parseSync(file, read(file)).program)
    return found
  }

  /** Long runs of what classes are made of, ended by what fits none of them. */
  const run = (part: string) => part.repeat(Math.ceil(40_000 / part.length))
  const parts = [
    ...' \t\na10-_.,:;/\\"=@+<(%中\u200b',
    'a.',
    'a@',
    'a-',
    '1.',
    ' a',
    '="',
    '\\"',
    '\r\n',
    'x=y;',
    '<a>',
    '://',
  ]
  const long = parts.flatMap((part) => [`${run(part)}\u0000`, `${run(part)}!\n`, `a@b.cc${run(part)}\u0000`])
  function took({ source, flags }: Expression, text: string): number {
    const pattern = new RegExp(source, flags.replace('y', ''))
    const from = performance.now()
    if (flags.includes('g')) text.replace(pattern, '')
    else pattern.test(text)
    return performance.now() - from
  }
  const slowMs = 200
  /** What is quadratic takes about a second. Three times: another process may have had the processor. */
  const isSlow = (one: Expression) => long.some((text) => [1, 2, 3].every(() => took(one, text) > slowMs))

  it('read forty thousand characters of anything at once', () => {
    const all = [...server, ...under('src/domain', 'src/contract').filter(isCode)].flatMap(expressionsIn)
    expect(all.length).toBeGreaterThan(100)
    expect(Object.keys(spared).filter((file) => !all.some((one) => one.file === file))).toEqual([])
    expect(all.filter((one) => !(one.file in spared) && isSlow(one))).toEqual([])
  }, 60_000)

  nightly('that go back and forth would be found', () => {
    expect(took({ file: '', source: ' +$', flags: '' }, `${run(' ')}\u0000`)).toBeGreaterThan(slowMs)
  })
})

it('the page reads no global by a name that a document could take (S-69)', () => {
  const byName = /\b(window|globalThis|self|document|frames)\s*(\?\.)?\[/
  expect(having(under('src', 'public', 'site').filter(isCode), byName)).toEqual([])
  expect(['window[name]', 'globalThis ?.[name]', 'selfish[0]'].map((text) => byName.test(text))).toEqual([
    true,
    true,
    false,
  ])
})

describe('cryptography (S-81)', () => {
  it('is that of Node, of the browser, of the password hash, and of the archives of backups', () => {
    const packages = server.flatMap((file) => importsOf(file).map(({ specifier }) => specifier))
    const looks = /crypt|hash|jose|jsonwebtoken|jwt|uuid|nanoid|argon|bcrypt|md5|sha\d/
    const found = new Set(packages.filter((name) => looks.test(name) && !/^[#.]/.test(name)))
    expect([...found].toSorted()).toEqual(['@node-rs/argon2', 'age-encryption', 'node:crypto'])
  })

  it('takes no weak algorithm, but for the name of an uploaded file', () => {
    const named = /\b(?:createHash|createHmac|createSign|createVerify|hkdfSync|hash)\('([^']+)'/g
    const used = server.flatMap((file) => [...read(file).matchAll(named)].map(([, name]) => `${name} ${file}`))
    expect(used.length).toBeGreaterThan(20)
    expect(used.filter((one) => !/^(sha256|RSA-SHA256) /.test(one))).toEqual([
      'md5 server/drivers/packages/read-package.ts',
      'md5 server/use-cases/catalogue/price-archive.ts',
    ])
  })

  it('compares secrets in constant time, and draws none from Math.random', () => {
    expect(having(server, /[!=]==[^\n?]*\.digest\(|\.digest\([^)]*\)\s*[!=]==/)).toEqual([])
    // How long a transaction waits before it is tried again.
    expect(having(server, /\bMath\.random\(/)).toEqual(['server/db/transaction.ts'])
  })
})
