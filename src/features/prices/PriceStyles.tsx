import '#features/prices/words.ts'
import { createStyleSheet } from '#ui/page/create-sheet.tsx'
import sheet from '#features/prices/sheet.css?url'

export const PriceStyles = createStyleSheet(sheet, 'prices')
