import '#features/modules/translations.ts'
import { createStyleSheet } from '#ui/page/create-sheet.tsx'
import styleUrl from '#features/modules/sheet.css?url'

/** The look of the catalogue's pages. */
export const ModuleStyles = createStyleSheet(styleUrl, 'modules')
