import { preinit } from 'react-dom'

/**
 * Style sheet for pages whose styles are not in the sheet stored on every device (docs/decisions/0036). Requested when the page's code
 * runs. React adds it to the head once, and shows content next to the component only after it has loaded.
 */
export function createStyleSheet(href: string, precedence: string) {
  preinit(href, { as: 'style', precedence })
  return () => <link rel="stylesheet" href={href} precedence={precedence} />
}
