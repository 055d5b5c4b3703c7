import { cleanCode } from '#domain/text.ts'

export const normaliseServiceCode = (text: string): string => cleanCode(text).toLowerCase()
