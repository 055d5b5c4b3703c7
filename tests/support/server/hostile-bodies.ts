/** Bodies that are made to cost a server much, in sizes that it still reads. What they mean is nothing to any call. */

export interface HostileBody {
  name: string
  type: string
  body: string | Buffer
}

const form = 'application/x-www-form-urlencoded'
const json = 'application/json'

const repeated = (piece: string, bytes: number) => piece.repeat(Math.max(1, Math.floor(bytes / piece.length)))

/** `a0=&a1=&...`, as long as `bytes`. */
function numbered(bytes: number, one: (at: number) => string, between: string): string {
  const pieces: string[] = []
  for (let at = 0, length = 0; length < bytes; at++) {
    const piece = one(at)
    pieces.push(piece)
    length += piece.length + between.length
  }
  return pieces.join(between)
}

export const hostileForms = (bytes: number): HostileBody[] =>
  (
    [
      ['one name again and again', repeated('a&', bytes)],
      ['nothing but dividers', repeated('&', bytes)],
      ['many unknown names', numbered(bytes, (at) => `a${at}=1`, '&')],
      ['a long name', repeated('a', bytes)],
      ['a long name in percents', repeated('%61', bytes)],
      ['broken percents', repeated('%ff', bytes)],
      ['broken percents in names', repeated('%ff=%&', bytes)],
      ['a name of every object', repeated('__proto__=1&', bytes)],
      ['a nested name', `${repeated('a[', bytes)}=1`],
    ] as const
  ).map(([name, body]) => ({ name: `form: ${name}`, type: form, body }))

export const hostileJson = (bytes: number): HostileBody[] =>
  (
    [
      ['deep', '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)],
      ['deep objects', repeated('{"a":', bytes)],
      ['many names', `{${numbered(bytes, (at) => `"a${at}":1`, ',')}}`],
      ['many whole numbers as names', `{${numbered(bytes, (at) => `"${at * 65_537}":1`, ',')}}`],
      ['many arrays', `[${repeated('[],', bytes)}1]`],
      ['many objects', `[${repeated('{},', bytes)}1]`],
      ['many numbers', `[${repeated('1,', bytes)}1]`],
      ['many texts', `[${repeated('"",', bytes)}""]`],
      ['one name again and again', `{${repeated('"a":1,', bytes)}"a":1}`],
      ['a long name', `{"${repeated('a', bytes)}":1}`],
      ['a long name of escapes', `{"${repeated('\\u0061', bytes)}":1}`],
      ['no JSON', repeated('"a":', bytes)],
      ['an open text', `"${repeated('\\"', bytes)}`],
      ['blanks', repeated(' ', bytes)],
    ] as const
  ).map(([name, body]) => ({ name: `json: ${name}`, type: json, body }))

/** JSON that a server reads to its end, because it is of few values. Only its schema refuses it. */
export const largeJson = (fields: readonly string[], bytes: number): HostileBody[] => {
  const values: [string, string][] = [
    ['a long text', `"${repeated('a', bytes)}"`],
    ['a long text of escapes', `"${repeated('\\u4e00', bytes)}"`],
    ['a text to be composed', `"${repeated('e\\u0301\\u0323', bytes)}"`],
    ['halves of characters', `"${repeated('\\ud800', bytes)}"`],
    ['a long number', repeated('9', bytes)],
    ['a text of blanks', `"${repeated(' ', bytes)}a"`],
    ['dots', `"a@${repeated('a.', bytes)}"`],
    ['a list of texts', `[${repeated('"abcdefghijklm",', bytes)}""]`],
    ['a list of objects', `[${repeated('{"code":1,"hkd":2,"flag":{"a":"b"}},', bytes)}{}]`],
    ['an object of lists', `{"a":[${repeated('[1,2,3,4,5,6,7,8,9],', bytes)}1]}`],
  ]
  const each = (value: string) =>
    `{${fields.map((name, at) => `${JSON.stringify(name)}:${at === 0 ? value : '1'}`).join(',')}}`
  // The long value in every field in turn would be as many bodies; each of them is of another kind.
  return values.map(([name, value], at) => {
    const turned = fields.map((_, place) => fields[(place + at) % fields.length] ?? '')
    return {
      name: `json: ${name}`,
      type: json,
      body: each(value).replace(/^\{"[^"]*"/, () => `{${JSON.stringify(turned[0])}`),
    }
  })
}

const boundary = 'hostile'
const part = (head: string, content: string) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`
const named = (name: string) => `Content-Disposition: form-data; name="${name}"`

export const hostileParts = (bytes: number): HostileBody[] =>
  (
    [
      ['many parts', numbered(bytes, (at) => part(named(`a${at}`), ''), '')],
      ['one name again and again', numbered(bytes, () => part(named('file'), 'a'), '')],
      ['a long head', part(`${named('a')}\r\nX-A: ${repeated('a', bytes)}`, '')],
      ['many lines of a head', part(`${named('a')}\r\n${repeated('X-A: a\r\n', bytes)}`, '')],
      ['a long name', part(named(repeated('a', bytes)), '')],
      ['a long file name', part(`${named('file')}; filename="${repeated('a\\"', bytes)}"`, '')],
      ['a long field', part(named('a'), repeated('a', bytes))],
      ['almost boundaries', part(named('a'), repeated(`\r\n--${boundary.slice(0, -1)}`, bytes))],
      ['no part', repeated('\r\n', bytes)],
    ] as const
  ).map(([name, body]) => ({
    name: `parts: ${name}`,
    type: `multipart/form-data; boundary=${boundary}`,
    body: `${body}--${boundary}--\r\n`,
  }))

/** Queries, without the question mark. */
export const hostileQueries = (length: number): [string, string][] => [
  ['one name again and again', repeated('a&', length)],
  ['many unknown names', numbered(length, (at) => `a${at}=1`, '&').slice(0, length)],
  ['a long name', repeated('a', length)],
  ['broken percents', repeated('%ff&', length)],
]

const json1 = (name: string, value: unknown): HostileBody => ({
  name: `json: ${name}`,
  type: json,
  body: JSON.stringify(value),
})
const times = <T>(count: number, one: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => one(at))

/** As many rows as a schema takes, every field of each of them wrong; and batches of what is wrong. */
export function fullRows(endpointName: string): HostileBody[] {
  const list = {
    type: 'saas',
    effective_date: '2026-09-01',
    desc: 'x',
    module: times(1000, () => ({ code: 5, module_id: 'x', hkd: 1, usd: 2, rmb: 3 })),
    concurrentUser: times(1000, () => ({ from: 'x', to: 'y', hkd: 1, usd: 2, rmb: 3 })),
    namedUser: times(1000, () => ({ from: 'x', to: 'y', hkd: 1, usd: 2, rmb: 3 })),
  }
  const flags = Object.fromEntries(times(35, (at) => [`flag${at}`, 'x']))
  const module = {
    name: 'x',
    apps: times(500, () => ({ code: '*', flag: flags })),
    dependencies: times(500, () => '*'),
  }
  const item = (at: number, body: unknown) => ({ method: 'POST', path: '/api/m18s/user', key: `key-${at}`, body })
  if (endpointName === 'createPriceList') return [json1('wrong rows', list)]
  if (endpointName === 'updatePriceList') return [json1('wrong rows', { ...list, id: 1 })]
  if (endpointName === 'rehearsePriceList') return [json1('wrong rows', { list })]
  if (endpointName === 'createModule' || endpointName === 'updateModule') return [json1('wrong rows', module)]
  if (endpointName === 'validateModules')
    return [
      json1(
        'wrong rows',
        times(500, () => '*'),
      ),
    ]
  if (endpointName === 'calculate' || endpointName === 'createOrder')
    return [json1('wrong rows', { modules: times(500, () => '*'), code: {} })]
  if (endpointName === 'alipayCalls')
    return [json1('wrong rows', Object.fromEntries(times(500, (at) => [`name${at}`.padEnd(150, 'x'), 1])))]
  if (endpointName !== 'sendBatch') return []
  return [
    json1(
      'long texts in each item',
      times(50, (at) => item(at, { name: 'x'.repeat(19_000), email: 'y' })),
    ),
    json1(
      'many fields in each item',
      times(50, (at) => item(at, Object.fromEntries(times(400, (name) => [`name${name}`, 1])))),
    ),
    json1(
      'wrong rows in each item',
      times(50, (at) => ({
        ...item(at, { ...list, module: list.module.slice(0, 200), concurrentUser: [], namedUser: [] }),
        path: '/api/pricelist',
      })),
    ),
    json1(
      'many headers in each item',
      times(50, (at) => ({ ...item(at, {}), headers: Object.fromEntries(times(400, (name) => [`name-${name}`, 1])) })),
    ),
    json1(
      'thousands of pairs in each path',
      times(50, (at) => ({ ...item(at, {}), path: `/api/m18s/user?${'a&'.repeat(900)}` })),
    ),
  ]
}

/** Of the lengths that Node still takes. */
export const hostileHeaders: readonly Record<string, string>[] = [
  { cookie: numbered(12_000, (at) => `a${at}=b`, ';') },
  { cookie: `portal-device=${'a'.repeat(12_000)}`, 'sec-fetch-site': 'same-origin' },
  { cookie: `portal-refresh=${'a'.repeat(200)}${' '.repeat(12_000)}x`, 'sec-fetch-site': 'same-origin' },
  { 'accept-language': repeated('zz;q=0.1,', 12_000) },
  { 'accept-encoding': repeated('br;q=0.1,', 12_000) },
  { accept: repeated('a/b;q=0.1,', 12_000) },
  { 'if-match': `W/"${repeated('~-', 12_000)}` },
  { 'if-none-match': repeated('"a",', 12_000) },
  { 'user-agent': repeated('Mozilla/5.0 (', 12_000) },
  { 'user-agent': repeated(' Chrome/1', 12_000) },
  { range: `bytes=${repeated('0-0,', 12_000)}` },
  { 'idempotency-key': repeated('a.', 12_000) },
  { 'for-user': repeated('1:', 12_000) },
  { 'stripe-signature': repeated('v1=a,t=1,', 12_000) },
  { 'upload-metadata': repeated('a YQ==,', 12_000), 'tus-resumable': '1.0.0' },
]
