/** Hands a text to the person as a file of that name. `type`: its media type. */
export const downloadText = (text: string, name: string, type: string): void =>
  downloadBytes(new Blob([text], { type }), name)

export function downloadBytes(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the bytes by then, or never will.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** A download, not a navigation: a failed navigation would leave the page. The server names the file (M55). */
export function downloadFromServer(path: string): void {
  const link = Object.assign(document.createElement('a'), { href: path, download: '' })
  link.click()
}
