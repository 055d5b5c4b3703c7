/** Checks security rules by searching the code (S-04, S-09, S-10, S-69, S-81). */
import { describe, expect, it } from 'vitest'
import { parseSync } from 'vite'
import { readImports, isCode, readFileText, listFilesUnder } from '#tests/architecture/tree.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

const server = listFilesUnder('server', 'demo').filter(isCode)
const isMigration = (file: string) => file.startsWith('server/db/migrations/')
const filterByPattern = (files: string[], pattern: RegExp) => files.filter((file) => pattern.test(readFileText(file)))

describe('SQL (S-04)', () => {
  /** Matches calls that insert raw text into a statement. All other values are passed as parameters. */
  const rawSql = /\bsql\.(raw|lit)\(|\bCompiledQuery\.raw\(/
  const concatenatedSql = /\.(query|exec|executeSql)\(\s*(`[^`]*\$\{(?!escapeIdentifier\()|['"][^'"\n]*['"]\s*\+)/

  it('is never built from user input: raw SQL text occurs only in the listed files', () => {
    const filesWithRawSql = filterByPattern(
      server.filter((file) => !isMigration(file)),
      rawSql,
    )
    // These files contain only constant statements with $1 for each value; in the catalogue also an expression and a number.
    expect(filesWithRawSql).toEqual([
      'server/db/accounts/tokens.ts',
      'server/db/audit/audit-trail.ts',
      'server/db/catalogue/apps.ts',
      'server/db/catalogue/catalogue.ts',
      'server/db/idempotency-store.ts',
      'server/db/request-counts.ts',
      'server/db/settle-with-audit-entry.ts',
      'server/db/transaction.ts',
    ])
    // Names of schemas and tables in database copies, and of databases and logins of services, cannot be parameters. Each is quoted.
    // The sample instance inserts constant names, and ids of hex digits.
    expect(filterByPattern(server, concatenatedSql)).toEqual([
      'demo/sample-instance/storage/postgres-data.ts',
      'demo/sample-instance/storage/postgres-schema.ts',
      'demo/sample-instance/storage/postgres-storage.ts',
      'demo/sample-instance/storage/postgres-store.ts',
      'server/drivers/backup-store/copies/reader.ts',
      'server/drivers/backup-store/copies/session.ts',
      'server/drivers/backup-store/copies/target.ts',
      'server/drivers/backup-store/copies/writer.ts',
      'server/drivers/hosting/docker/storage/database.ts',
    ])
  })

  it("compares columns with `hasValues`, because Kysely's own `and({ … })` skips undefined values", () => {
    expect(filterByPattern(server, /\b(and|or)\(\{/)).toEqual([])
  })

  it('the check finds statements that are concatenated from strings', () => {
    const tableName = 'table'
    for (const text of [
      'sql.raw(given)',
      `pool.query(\`select * from $\{${tableName}}\`)`,
      "db.query('select ' + given)",
    ])
      expect([text, rawSql.test(text) || concatenatedSql.test(text)]).toEqual([text, true])
    for (const text of ["pool.query('select pg_notify($1, $2)', [a])", 'sql`select ${given}`'])
      expect([text, rawSql.test(text) || concatenatedSql.test(text)]).toEqual([text, false])
  })
})

describe('requests that the server makes (S-09)', () => {
  const networkModules = new Set(
    'node:http node:https node:http2 node:tls node:dgram undici axios nodemailer stripe alipay-sdk'.split(' '),
  )
  const filesWithFetch = filterByPattern(server, /\bfetch\(/)

  it('are made only by the listed files', () => {
    const filesWithNetworkModule = server.filter((file) =>
      readImports(file).some(({ specifier, isTypeOnly }) => !isTypeOnly && networkModules.has(specifier)),
    )
    // The payment sandbox calls only the portal on the same machine. Hosting calls local sockets, tasks in the Swarm, and the address
    // that the node of the services wrote into the database. flood-limits.ts, health-listener.ts and hosting-api.ts only listen.
    // A push message goes to an address that a browser named, but only to public ones (push-address.ts).
    expect([...new Set([...filesWithNetworkModule, ...filesWithFetch])].toSorted()).toEqual([
      'demo/payment-sandbox/webhook-sender.ts',
      'server/drivers/hosting/control/exchange.ts',
      'server/drivers/hosting/gateway/socket-http.ts',
      'server/drivers/hosting/remote/hosting-api.ts',
      'server/drivers/hosting/remote/remote-hosting.ts',
      'server/drivers/mail/smtp.ts',
      'server/drivers/payment/alipay.ts',
      'server/drivers/payment/global-alipay.ts',
      'server/drivers/payment/stripe.ts',
      'server/drivers/push/push-driver.ts',
      'server/http/flood-limits.ts',
      'server/http/health/health-listener.ts',
    ])
    expect(
      filterByPattern(server, /import \{[^}]*\b(connect|createConnection|Socket)\b[^}]*\} from 'node:net'/),
    ).toEqual([])
  })

  it('do not follow redirects', () => {
    expect(filesWithFetch).toHaveLength(2)
    expect(filesWithFetch.filter((file) => !/redirect: '(error|manual)'/.test(readFileText(file)))).toEqual([])
  })
})

describe('regular expressions (S-10)', () => {
  interface RegexSource {
    file: string
    source: string
    flags: string
  }
  /** Files whose expressions read only short or validated input, with the reason. */
  const exceptionReasons: Record<string, string> = {
    'demo/payment-sandbox/pages.ts': 'an amount as we write it',
    'src/domain/money.ts': 'an amount as we write it',
    'server/use-cases/sessions/user-agent.ts': 'an IPv4 address',
  }
  const listExpressions = (file: string): RegexSource[] => {
    const expressions: RegexSource[] = []
    const visitNode = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      const { regex } = node as { regex?: { pattern: string; flags: string } }
      if (regex) expressions.push({ file, source: regex.pattern, flags: regex.flags })
      else for (const child of Object.values(node)) visitNode(child)
    }
    visitNode(parseSync(file, readFileText(file)).program)
    return expressions
  }

  /**
   * Repeats `part` to about 40,000 characters. The texts below end with a character that few expressions match, which makes an expression
   * backtrack.
   */
  const repeatPart = (part: string) => part.repeat(Math.ceil(40_000 / part.length))
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
    '?',
    '/__MACOSX/',
  ]
  const longTexts = parts.flatMap((part) => [
    `${repeatPart(part)}\u0000`,
    `${repeatPart(part)}!\n`,
    `a@b.cc${repeatPart(part)}\u0000`,
    `charset=${repeatPart(part)}a b`,
  ])
  function measureMs({ source, flags }: RegexSource, text: string): number {
    const pattern = new RegExp(source, flags.replace('y', ''))
    const startedAt = performance.now()
    if (flags.includes('g')) text.replace(pattern, '')
    else pattern.test(text)
    return performance.now() - startedAt
  }
  const slowMs = 200
  /**
   * Returns true if the expression exceeds the limit three times in a row, because other processes may use the processor. A quadratic
   * expression takes about a second.
   */
  const isSlow = (expression: RegexSource) =>
    longTexts.some((text) => [1, 2, 3].every(() => measureMs(expression, text) > slowMs))

  it('process a text of 40,000 characters within the time limit', () => {
    const expressions = [...server, ...listFilesUnder('src/domain', 'src/contract').filter(isCode)].flatMap(
      listExpressions,
    )
    expect(expressions.length).toBeGreaterThan(100)
    expect(
      Object.keys(exceptionReasons).filter((file) => !expressions.some((expression) => expression.file === file)),
    ).toEqual([])
    expect(expressions.filter((expression) => !(expression.file in exceptionReasons) && isSlow(expression))).toEqual([])
  }, 60_000)

  nightly('the check finds an expression that needs too much time because of backtracking', () => {
    expect(measureMs({ file: '', source: ' +$', flags: '' }, `${repeatPart(' ')}\u0000`)).toBeGreaterThan(slowMs)
  })
})

it("The page reads no global by a computed name, which an element's id could override (S-69)", () => {
  const namedAccess = /\b(window|globalThis|self|document|frames)\s*(\?\.)?\[/
  expect(filterByPattern(listFilesUnder('src', 'public', 'site').filter(isCode), namedAccess)).toEqual([])
  expect(['window[name]', 'globalThis ?.[name]', 'selfish[0]'].map((text) => namedAccess.test(text))).toEqual([
    true,
    true,
    false,
  ])
})

describe('cryptography (S-81)', () => {
  it('uses only Node, the browser, the password hash and the backup encryption', () => {
    const packages = server.flatMap((file) => readImports(file).map(({ specifier }) => specifier))
    const cryptoName = /crypt|hash|jose|jsonwebtoken|jwt|uuid|nanoid|argon|bcrypt|md5|sha\d/
    const cryptoPackages = new Set(packages.filter((name) => cryptoName.test(name) && !/^[#.]/.test(name)))
    expect([...cryptoPackages].toSorted()).toEqual(['@node-rs/argon2', 'age-encryption', 'node:crypto'])
  })

  it('uses no weak algorithm, except for names of uploaded files', () => {
    const algorithmCall = /\b(?:createHash|createHmac|createSign|createVerify|hkdfSync|hash)\('([^']+)'/g
    const usedAlgorithms = server.flatMap((file) =>
      [...readFileText(file).matchAll(algorithmCall)].map(([, name]) => `${name} ${file}`),
    )
    expect(usedAlgorithms.length).toBeGreaterThan(20)
    expect(usedAlgorithms.filter((usage) => !/^(sha256|RSA-SHA256) /.test(usage))).toEqual([
      'md5 server/drivers/packages/read-package.ts',
      'md5 server/use-cases/catalogue/price-archive.ts',
    ])
  })

  it('compares secrets in constant time, and creates none with Math.random', () => {
    expect(filterByPattern(server, /[!=]==[^\n?]*\.digest\(|\.digest\([^)]*\)\s*[!=]==/)).toEqual([])
    // This file uses it for a random delay before it retries a transaction.
    expect(filterByPattern(server, /\bMath\.random\(/)).toEqual(['server/db/transaction.ts'])
  })
})
