/** Builds bodies that are expensive for a server and within its size limits. No call accepts them. */

export interface HostileBody {
  name: string
  type: string
  body: string | Buffer
}

const form = 'application/x-www-form-urlencoded'
const json = 'application/json'

const repeatPiece = (piece: string, bytes: number) => piece.repeat(Math.max(1, Math.floor(bytes / piece.length)))

/** Builds a text like `a0=&a1=&...` of about `bytes` bytes. */
function buildNumbered(bytes: number, buildPiece: (index: number) => string, separator: string): string {
  const pieces: string[] = []
  for (let index = 0, length = 0; length < bytes; index++) {
    const piece = buildPiece(index)
    pieces.push(piece)
    length += piece.length + separator.length
  }
  return pieces.join(separator)
}

export const buildHostileForms = (bytes: number): HostileBody[] =>
  (
    [
      ['one name again and again', repeatPiece('a&', bytes)],
      ['nothing but dividers', repeatPiece('&', bytes)],
      ['many unknown names', buildNumbered(bytes, (index) => `a${index}=1`, '&')],
      ['a long name', repeatPiece('a', bytes)],
      ['a long name in percents', repeatPiece('%61', bytes)],
      ['broken percents', repeatPiece('%ff', bytes)],
      ['broken percents in names', repeatPiece('%ff=%&', bytes)],
      ['a name of every object', repeatPiece('__proto__=1&', bytes)],
      ['a nested name', `${repeatPiece('a[', bytes)}=1`],
    ] as const
  ).map(([name, body]) => ({ name: `form: ${name}`, type: form, body }))

export const buildHostileJson = (bytes: number): HostileBody[] =>
  (
    [
      ['deep', '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)],
      ['deep objects', repeatPiece('{"a":', bytes)],
      ['many names', `{${buildNumbered(bytes, (index) => `"a${index}":1`, ',')}}`],
      ['many whole numbers as names', `{${buildNumbered(bytes, (index) => `"${index * 65_537}":1`, ',')}}`],
      ['many arrays', `[${repeatPiece('[],', bytes)}1]`],
      ['many objects', `[${repeatPiece('{},', bytes)}1]`],
      ['many numbers', `[${repeatPiece('1,', bytes)}1]`],
      ['many texts', `[${repeatPiece('"",', bytes)}""]`],
      ['one name again and again', `{${repeatPiece('"a":1,', bytes)}"a":1}`],
      ['a long name', `{"${repeatPiece('a', bytes)}":1}`],
      ['a long name of escapes', `{"${repeatPiece('\\u0061', bytes)}":1}`],
      ['no JSON', repeatPiece('"a":', bytes)],
      ['an open text', `"${repeatPiece('\\"', bytes)}`],
      ['blanks', repeatPiece(' ', bytes)],
    ] as const
  ).map(([name, body]) => ({ name: `json: ${name}`, type: json, body }))

/** Builds JSON that the server parses completely, because it has few values. Only the schema of the call refuses it. */
export const buildLargeJson = (fields: readonly string[], bytes: number): HostileBody[] => {
  const values: [string, string][] = [
    ['a long text', `"${repeatPiece('a', bytes)}"`],
    ['a long text of escapes', `"${repeatPiece('\\u4e00', bytes)}"`],
    ['a text to be composed', `"${repeatPiece('e\\u0301\\u0323', bytes)}"`],
    ['halves of characters', `"${repeatPiece('\\ud800', bytes)}"`],
    ['a long number', repeatPiece('9', bytes)],
    ['a text of blanks', `"${repeatPiece(' ', bytes)}a"`],
    ['dots', `"a@${repeatPiece('a.', bytes)}"`],
    ['a list of texts', `[${repeatPiece('"abcdefghijklm",', bytes)}""]`],
    ['a list of objects', `[${repeatPiece('{"code":1,"hkd":2,"flag":{"a":"b"}},', bytes)}{}]`],
    ['an object of lists', `{"a":[${repeatPiece('[1,2,3,4,5,6,7,8,9],', bytes)}1]}`],
  ]
  const buildBody = (value: string) =>
    `{${fields.map((name, index) => `${JSON.stringify(name)}:${index === 0 ? value : '1'}`).join(',')}}`
  // A long value in every field would multiply the number of bodies, so each kind of value uses another field.
  return values.map(([name, value], offset) => {
    const rotatedFields = fields.map((_, index) => fields[(index + offset) % fields.length] ?? '')
    return {
      name: `json: ${name}`,
      type: json,
      body: buildBody(value).replace(/^\{"[^"]*"/, () => `{${JSON.stringify(rotatedFields[0])}`),
    }
  })
}

const boundary = 'hostile'
const buildPart = (head: string, content: string) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`
const buildDisposition = (name: string) => `Content-Disposition: form-data; name="${name}"`

export const buildHostileParts = (bytes: number): HostileBody[] =>
  (
    [
      ['many parts', buildNumbered(bytes, (index) => buildPart(buildDisposition(`a${index}`), ''), '')],
      ['one name again and again', buildNumbered(bytes, () => buildPart(buildDisposition('file'), 'a'), '')],
      ['a long head', buildPart(`${buildDisposition('a')}\r\nX-A: ${repeatPiece('a', bytes)}`, '')],
      ['many lines of a head', buildPart(`${buildDisposition('a')}\r\n${repeatPiece('X-A: a\r\n', bytes)}`, '')],
      ['a long name', buildPart(buildDisposition(repeatPiece('a', bytes)), '')],
      ['a long file name', buildPart(`${buildDisposition('file')}; filename="${repeatPiece('a\\"', bytes)}"`, '')],
      ['a long field', buildPart(buildDisposition('a'), repeatPiece('a', bytes))],
      ['almost boundaries', buildPart(buildDisposition('a'), repeatPiece(`\r\n--${boundary.slice(0, -1)}`, bytes))],
      ['no part', repeatPiece('\r\n', bytes)],
    ] as const
  ).map(([name, body]) => ({
    name: `parts: ${name}`,
    type: `multipart/form-data; boundary=${boundary}`,
    body: `${body}--${boundary}--\r\n`,
  }))

/** Builds query strings without the question mark. */
export const buildHostileQueries = (length: number): [string, string][] => [
  ['one name again and again', repeatPiece('a&', length)],
  ['many unknown names', buildNumbered(length, (index) => `a${index}=1`, '&').slice(0, length)],
  ['a long name', repeatPiece('a', length)],
  ['broken percents', repeatPiece('%ff&', length)],
]

const buildJsonBody = (name: string, value: unknown): HostileBody => ({
  name: `json: ${name}`,
  type: json,
  body: JSON.stringify(value),
})
const buildRows = <T>(count: number, buildRow: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => buildRow(index))

/** Builds bodies with the maximum number of rows of a schema, in which every field is invalid, and batches of invalid items. */
export function buildFullRows(endpointName: string): HostileBody[] {
  const list = {
    type: 'saas',
    effective_date: '2026-09-01',
    desc: 'x',
    module: buildRows(1000, () => ({ code: 5, module_id: 'x', hkd: 1, usd: 2, rmb: 3 })),
    concurrentUser: buildRows(1000, () => ({ from: 'x', to: 'y', hkd: 1, usd: 2, rmb: 3 })),
    namedUser: buildRows(1000, () => ({ from: 'x', to: 'y', hkd: 1, usd: 2, rmb: 3 })),
  }
  const flags = Object.fromEntries(buildRows(35, (index) => [`flag${index}`, 'x']))
  const module = {
    name: 'x',
    apps: buildRows(500, () => ({ code: '*', flag: flags })),
    dependencies: buildRows(500, () => '*'),
  }
  const buildBatchItem = (index: number, body: unknown) => ({
    method: 'POST',
    path: '/api/m18s/user',
    key: `key-${index}`,
    body,
  })
  if (endpointName === 'createPriceList') return [buildJsonBody('wrong rows', list)]
  if (endpointName === 'updatePriceList') return [buildJsonBody('wrong rows', { ...list, id: 1 })]
  if (endpointName === 'rehearsePriceList') return [buildJsonBody('wrong rows', { list })]
  if (endpointName === 'createModule' || endpointName === 'updateModule') return [buildJsonBody('wrong rows', module)]
  if (endpointName === 'validateModules')
    return [
      buildJsonBody(
        'wrong rows',
        buildRows(500, () => '*'),
      ),
    ]
  if (endpointName === 'calculate' || endpointName === 'createOrder')
    return [buildJsonBody('wrong rows', { modules: buildRows(500, () => '*'), code: {} })]
  if (endpointName === 'alipayCalls')
    return [
      buildJsonBody('wrong rows', Object.fromEntries(buildRows(500, (index) => [`name${index}`.padEnd(150, 'x'), 1]))),
    ]
  if (endpointName !== 'sendBatch') return []
  return [
    buildJsonBody(
      'long texts in each item',
      buildRows(50, (index) => buildBatchItem(index, { name: 'x'.repeat(19_000), email: 'y' })),
    ),
    buildJsonBody(
      'many fields in each item',
      buildRows(50, (index) => buildBatchItem(index, Object.fromEntries(buildRows(400, (name) => [`name${name}`, 1])))),
    ),
    buildJsonBody(
      'wrong rows in each item',
      buildRows(50, (index) => ({
        ...buildBatchItem(index, { ...list, module: list.module.slice(0, 200), concurrentUser: [], namedUser: [] }),
        path: '/api/pricelist',
      })),
    ),
    buildJsonBody(
      'many headers in each item',
      buildRows(50, (index) => ({
        ...buildBatchItem(index, {}),
        headers: Object.fromEntries(buildRows(400, (name) => [`name-${name}`, 1])),
      })),
    ),
    buildJsonBody(
      'thousands of pairs in each path',
      buildRows(50, (index) => ({ ...buildBatchItem(index, {}), path: `/api/m18s/user?${'a&'.repeat(900)}` })),
    ),
  ]
}

/** Headers of the maximum length that Node accepts. */
export const hostileHeaders: readonly Record<string, string>[] = [
  { cookie: buildNumbered(12_000, (index) => `a${index}=b`, ';') },
  { cookie: `portal-device=${'a'.repeat(12_000)}`, 'sec-fetch-site': 'same-origin' },
  { cookie: `portal-refresh=${'a'.repeat(200)}${' '.repeat(12_000)}x`, 'sec-fetch-site': 'same-origin' },
  { 'accept-language': repeatPiece('zz;q=0.1,', 12_000) },
  { 'accept-encoding': repeatPiece('br;q=0.1,', 12_000) },
  { accept: repeatPiece('a/b;q=0.1,', 12_000) },
  { 'if-match': `W/"${repeatPiece('~-', 12_000)}` },
  { 'if-none-match': repeatPiece('"a",', 12_000) },
  { 'user-agent': repeatPiece('Mozilla/5.0 (', 12_000) },
  { 'user-agent': repeatPiece(' Chrome/1', 12_000) },
  { range: `bytes=${repeatPiece('0-0,', 12_000)}` },
  { 'idempotency-key': repeatPiece('a.', 12_000) },
  { 'for-user': repeatPiece('1:', 12_000) },
  { 'stripe-signature': repeatPiece('v1=a,t=1,', 12_000) },
  { 'upload-metadata': repeatPiece('a YQ==,', 12_000), 'tus-resumable': '1.0.0' },
]
