/** The pages of a gateway, as a browser without a script walks them. */
export interface Seen {
  /** After all redirects inside the sandbox; the shop's own address is not opened. */
  url: string
  status: number
  headers: Headers
  text: string
}

/** Opens a page, or sends its form, and goes wherever the gateway leads. */
export async function visit(address: string, form?: Record<string, string>): Promise<Seen> {
  const body = form ? { method: 'POST', body: new URLSearchParams(form) } : {}
  const answer = await fetch(address, { redirect: 'manual', ...body })
  const to = answer.headers.get('location')
  if (to === null) return { url: address, status: answer.status, headers: answer.headers, text: await answer.text() }
  const next = new URL(to, address)
  if (next.origin !== new URL(address).origin) return { url: next.href, status: 0, headers: answer.headers, text: '' }
  return await visit(next.href)
}
