/** Hands a text to the person as a file of that name. `type`: its media type. */
export function saveFile(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the bytes by then, or never will.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
