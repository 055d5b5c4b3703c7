/**
 * The one form of XML that Alipay's cross-border gateway answers with: elements around elements, text in the innermost.
 * Read as name and text; what comes twice, or is anything more of XML, is refused.
 */
import { PaymentProblem } from '#server/drivers/payment/errors.ts'

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Throws PaymentProblem. The repeated request (`<param name="...">`) is left out: it is ours. */
export function readFlatXml(text: string): Record<string, string> {
  const said = text.replace(/<request>[^]*?<\/request>/, '')
  if (/<!|<\?(?!xml )/.test(said) || !/<alipay>[^]*<\/alipay>\s*$/.test(said)) throw unreadable()
  const found = [...said.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name = '', value = '']) => [name, plain(value)])
  const fields = Object.fromEntries(found) as Record<string, string>
  if (Object.keys(fields).length !== found.length) throw unreadable()
  return fields
}

const plain = (text: string) => text.trim().replace(/&(\w+);/g, (sign, name: string) => entities[name] ?? sign)

const unreadable = () => new PaymentProblem('Alipay answered something that cannot be read', false)
