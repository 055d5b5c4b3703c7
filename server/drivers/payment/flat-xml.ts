/**
 * The one form of XML that Alipay's cross-border gateway answers with: elements around elements, text in the innermost.
 * Read as name and text; what comes twice, or is anything more of XML, is refused.
 */
import { PaymentProblem } from '#server/drivers/payment/errors.ts'

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Throws PaymentProblem. The repeated request (`<param name="...">`) is left out: it is ours. */
export function readFlatXml(text: string): Record<string, string> {
  const said = withoutRequest(text).trimEnd()
  const isWhole = said.includes('<alipay>') && said.endsWith('</alipay>')
  if (/<!|<\?(?!xml )/.test(said) || !isWhole) throw unreadable()
  const found = [...said.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name = '', value = '']) => [name, plain(value)])
  const fields = Object.fromEntries(found) as Record<string, string>
  if (Object.keys(fields).length !== found.length) throw unreadable()
  return fields
}

/** Found word by word: an expression would look from each `<request>` to the end again. */
function withoutRequest(text: string): string {
  const start = text.indexOf('<request>')
  const end = text.indexOf('</request>', start)
  return start < 0 || end < 0 ? text : text.slice(0, start) + text.slice(end + '</request>'.length)
}

const plain = (text: string) => text.trim().replace(/&(\w+);/g, (sign, name: string) => entities[name] ?? sign)

const unreadable = () => new PaymentProblem('Alipay answered something that cannot be read', false)
