/** Reads flat XML of Alipay's cross-border gateway. Refuses repeated names and all other features of XML. */
import { PaymentProblem } from '#server/drivers/payment/payment-problem.ts'

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Returns the text of each element by name, without the request that Alipay repeats. Throws PaymentProblem if the text is unreadable. */
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

/** Removes the repeated request. Uses `indexOf`, because a regular expression would scan to the end from each `<request>`. */
function removeRequest(text: string): string {
  const start = text.indexOf('<request>')
  const end = text.indexOf('</request>', start)
  return start < 0 || end < 0 ? text : text.slice(0, start) + text.slice(end + '</request>'.length)
}

const decodeText = (text: string) => text.trim().replace(/&(\w+);/g, (sign, name: string) => entities[name] ?? sign)

const createUnreadableProblem = () => new PaymentProblem('the response of Alipay is unreadable', false)
