import { downloadText } from '#ui/display/download-text.ts'

/** Hands a text to the person as a file; answers what it is called. `now`: epoch ms. */
export function saveText(text: string, name: string, now: number): string {
  const fileName = `${name}-${new Date(now).toISOString().slice(0, 16).replace(/[:T]/g, '-')}.json`
  downloadText(text, fileName, 'application/json')
  return fileName
}
