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
