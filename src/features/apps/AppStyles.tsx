import '#features/apps/words.ts'
import sheet from '#features/apps/sheet.css?url'

/** The look of the pages of apps, which is not in the sheet that every device keeps (docs/decisions/0036). */
export const Sheet = () => <link rel="stylesheet" href={sheet} precedence="apps" />
