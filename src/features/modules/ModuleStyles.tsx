import '#features/modules/words.ts'
import sheet from '#features/modules/sheet.css?url'

/** The look of the catalogue's pages, which is not in the sheet that every device keeps (docs/decisions/0036). */
export const Sheet = () => <link rel="stylesheet" href={sheet} precedence="modules" />
