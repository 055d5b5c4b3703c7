/**
 * The one order of text (I-14): stored beside the column on the server (`COLLATE "C"`) and as UTF-8 bytes on the device,
 * so that both sort, compare and search alike, whatever the database's or the browser's own collation says.
 */
export const foldText = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC').trim()

/** Input as we keep it: NFC (S-14), without the blanks around it. */
export const tidyText = (text: string): string => text.normalize('NFC').trim()

/** No line break or other control character, and none that turns the direction of what stands beside it (F-06). */
export const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u

/** What people call a row: its name, else its code; null where it has neither. */
export function nameIn(values: unknown): string | null {
  const { name, code } = (values ?? {}) as { name?: unknown; code?: unknown }
  const said = name ?? code
  return typeof said === 'string' && said !== '' ? said : null
}

/** As the attribute `lang` has it: a name with a Chinese character is Chinese, any other one English. */
export const languageOf = (name: string): 'en' | 'zh-Hans' => (/\p{Script=Han}/u.test(name) ? 'zh-Hans' : 'en')
