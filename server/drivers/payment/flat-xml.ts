/**
 * The one form of XML that Alipay's cross-border gateway answers with: elements around elements, text in the innermost.
 * Read as name and text; what comes twice, or is anything more of XML, is refused.
 */
import { PaymentProblem } from '#server/drivers/payment/payment-problem.ts'

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Throws PaymentProblem. The repeated request (`<param name="...">`) is left out: it is ours. */
export function readFlatXml(text: string): Record<string, string> {
  const xml = removeRequest(text).trimEnd()
  const isComplete = xml.includes('<alipay>') && xml.endsWith('</alipay>')
  if (/<!|<\?(?!xml )/.test(xml) || !isComplete) throw createUnreadableProblem()
  const elements = [...xml.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name = '', value = '']) => [
    name,
    decodeText(value),
  ])
  const fields = Object.fromEntries(elements) as Record<string, string>
  if (Object.keys(fields).length !== elements.length) throw createUnreadableProblem()
  return fields
}

/** Found word by word: an expression would look from each `<request>` to the end again. */
function removeRequest(text: string): string {
  const start = text.indexOf('<request>')
  const end = text.indexOf('</request>', start)
  return start < 0 || end < 0 ? text : text.slice(0, start) + text.slice(end + '</request>'.length)
}

const decodeText = (text: string) => text.trim().replace(/&(\w+);/g, (sign, name: string) => entities[name] ?? sign)

const createUnreadableProblem = () => new PaymentProblem('Alipay answered something that cannot be read', false)
