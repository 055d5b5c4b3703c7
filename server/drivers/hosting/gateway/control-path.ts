/**
 * Recognises paths that an instance could read as its control endpoint, below `/control`. Servers decode, simplify and compare paths
 * differently, and the program of an instance is not ours. So every reading is refused that some common server would use: repeated
 * decoding, overlong UTF-8, `\` as a separator, `;` parameters, dots, a host after `//`, other cases and widths of the letters.
 */

/** Number of times that a path is decoded. A path that is encoded more often is refused. */
const maxDecodings = 5

/** `url` is the target of a request and begins with `/`. */
export function canReachControl(url: string): boolean {
  let path = url.split('?', 1)[0] ?? ''
  for (let decodings = 0; decodings <= maxDecodings; decodings++) {
    if (isControlPath(path)) return true
    const decodedPath = decodePath(path)
    if (decodedPath === path) return false
    path = decodedPath
  }
  return true
}

/** Also decodes `%u0063`, an old form that some servers accept. */
const decodePath = (path: string): string =>
  path
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => decodeUtf8(Buffer.from(bytes.replaceAll('%', ''), 'hex')))
    .replace(/%u([0-9a-f]{4})/gi, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16)))

/** Decodes ASCII characters that are written with two or three bytes too, which strict decoders refuse. */
function decodeUtf8(bytes: Buffer): string {
  const toAscii = (high: number, low: number) => String.fromCodePoint(((high & 1) << 6) | (low & 63))
  const shortened = bytes
    .toString('latin1')
    .replace(/[\xc0\xc1][\x80-\xbf]|\xe0[\x80\x81][\x80-\xbf]/g, (text) =>
      toAscii(text.charCodeAt(text.length - 2), text.charCodeAt(text.length - 1)),
    )
  return Buffer.from(shortened, 'latin1').toString('utf8')
}

function isControlPath(path: string): boolean {
  // NFKC turns full-width letters and slashes into the usual ones, as some servers do.
  const segments = path.normalize('NFKC').toLowerCase().split(/[/\\]/).slice(1)
  const firstIndex = segments.findIndex((segment) => !isEmptySegment(segment))
  // After `//` some servers expect a host, and `..` can remove every segment before it.
  const isIndirect = firstIndex > 0 || segments.some(isParentSegment)
  return segments.some((segment, index) => isControlSegment(segment) && (isIndirect || index === firstIndex))
}

/** Removes white space and invisible characters, and parameters behind `;`. */
const simplifySegment = (segment: string) => removeInvisible(segment).split(';', 1)[0] ?? ''
const removeInvisible = (segment: string) => segment.replace(/[\p{C}\p{Z}]/gu, '')

const isEmptySegment = (segment: string) => /^\.*$/.test(simplifySegment(segment))
const isParentSegment = (segment: string) => /^\.{2,}$/.test(simplifySegment(segment))

/** Other words like `controls` and `control-panel` are allowed. A file type like `control.json` is not, because some servers ignore it. */
const controlWord = /^[\p{C}\p{Z}]*control(?![\p{L}\p{N}_-]|%[0-9a-f]{2}|%u[0-9a-f]{4})/u
const isControlSegment = (segment: string) => controlWord.test(segment) || controlWord.test(removeInvisible(segment))
