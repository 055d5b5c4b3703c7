import '#ui/icons/app-icons.ts'
import '#ui/icons/order-icons.ts'
import '#features/money/translations.ts'
import { createStyleSheet } from '#ui/page/create-sheet.tsx'
import styleUrl from '#features/money/sheet.css?url'

export const MoneyStyles = createStyleSheet(styleUrl, 'money')
