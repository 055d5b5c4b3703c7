import '#features/apps/translations.ts'
import { createStyleSheet } from '#ui/page/create-sheet.tsx'
import styleUrl from '#features/apps/sheet.css?url'

export const AppStyles = createStyleSheet(styleUrl, 'apps')
