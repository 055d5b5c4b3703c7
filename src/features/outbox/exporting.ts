/** Hands a text to the person as a file; answers what it is called. `now`: epoch ms. */
export function saveText(text: string, name: string, now: number): string {
  const file = `${name}-${new Date(now).toISOString().slice(0, 16).replace(/[:T]/g, '-')}.json`
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = file
  link.click()
  // The browser has taken the bytes by then, or never will.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
  return file
}
