import { CopyText } from '#ui/display/CopyText.tsx'
import { Icon } from '#ui/icons/Icon.tsx'

export const isWebAddress = (text: string | null): text is string => text !== null && /^https?:\/\//i.test(text)

/** A link that opens in a new tab, on one line, with a copy button (C-25). `emptyText` is displayed if there is no address. */
export function WebAddress({ to, emptyText }: { to: string | null; emptyText: string }) {
  if (!isWebAddress(to)) return to || emptyText
  return (
    <CopyText text={to}>
      <a className="web-address" href={to} target="_blank" rel="noreferrer noopener" title={to}>
        <span>{to}</span> <Icon name="external" size={16} />
      </a>
    </CopyText>
  )
}
