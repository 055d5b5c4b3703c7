import '#features/apps/translations.ts'
import { createStyleSheet } from '#ui/page/create-sheet.tsx'
import styleUrl from '#features/apps/sheet.css?url'

/** The look of the pages of apps. */
export const AppStyles = createStyleSheet(styleUrl, 'apps')
