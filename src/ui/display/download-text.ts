export const downloadText = (text: string, name: string, type: string): void =>
  downloadBytes(new Blob([text], { type }), name)

export function downloadBytes(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The URL is released after a minute, when the browser has read the bytes.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Clicks a download link, because a navigation that fails would leave the page. The server sets the file name (M55). */
export function downloadFromServer(path: string): void {
  const link = Object.assign(document.createElement('a'), { href: path, download: '' })
  link.click()
}
