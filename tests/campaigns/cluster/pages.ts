/** Opens the portal's page as a browser does: the document, and then all scripts and styles that it names. */
import { get } from 'node:http'
import type { LoadReport } from '#tests/campaigns/cluster/caller.ts'

/** Adds a fault if a document was served and one of its files is missing, because such a page stays blank. */
export async function loadPage(url: string, report: LoadReport): Promise<void> {
  const page = await fetchText(`${url}/saas/`, { accept: 'text/html' })
  // Without a document the browser shows its own error, and the user tries again.
  if (page?.status !== 200) return
  report.counts.set('page', (report.counts.get('page') ?? 0) + 1)
  const files = [...page.text.matchAll(/(?:src|href)="(\/saas\/assets\/[^"]+)"/g)].map(([, file]) => file ?? '')
  if (files.length === 0) report.faults.push('a page named no files')
  for (const file of files) {
    let response = await fetchText(url + file)
    // A node may end in this moment; a browser's user reloads then. A missing file is different: it stays missing.
    for (let attempt = 0; attempt < 100 && (response === null || response.status >= 500); attempt++)
      response = await fetchText(url + file)
    if (response?.status !== 200)
      report.faults.push(`a page is blank: ${file} returned ${response?.status ?? 'nothing'}`)
  }
}

/** Returns null without a response. It does not use `fetch`, which marks its requests as those of a script. */
function fetchText(
  address: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string } | null> {
  return new Promise((resolve) => {
    const request = get(address, { headers, timeout: 15_000 }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', () => resolve(null))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(null))
  })
}
