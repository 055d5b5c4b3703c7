import '#ui/icons/app-icons.ts'
import '#ui/icons/order-icons.ts'
import '#features/services/translations.ts'
import { createStyleSheet } from '#ui/page/create-sheet.tsx'
import styleUrl from '#features/services/sheet.css?url'

export const ServiceStyles = createStyleSheet(styleUrl, 'services')
