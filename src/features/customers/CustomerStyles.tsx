import '#ui/icons/app-icons.ts'
import '#ui/icons/order-icons.ts'
import '#features/customers/translations.ts'
import { createStyleSheet } from '#ui/page/create-sheet.tsx'
import styleUrl from '#features/customers/sheet.css?url'

export const CustomerStyles = createStyleSheet(styleUrl, 'customers')
