import { preinit } from 'react-dom'

/**
 * Creates a component with a style sheet, for pages whose styles are not in the sheet that every device stores (docs/decisions/0036). The
 * sheet is requested when the page's code runs. React adds it to the head once, and shows content next to the component only after the
 * sheet has loaded.
 */
export function createStyleSheet(href: string, precedence: string) {
  preinit(href, { as: 'style', precedence })
  return () => <link rel="stylesheet" href={href} precedence={precedence} />
}
