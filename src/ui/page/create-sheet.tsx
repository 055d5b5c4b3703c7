import { preinit } from 'react-dom'

/**
 * The style sheet of pages whose look is not in the sheet that every device keeps (docs/decisions/0036). It is requested when their code
 * runs. React puts it into the head once, and shows nothing that stands beside the component before the sheet is there.
 */
export function createStyleSheet(href: string, precedence: string) {
  preinit(href, { as: 'style', precedence })
  return () => <link rel="stylesheet" href={href} precedence={precedence} />
}
