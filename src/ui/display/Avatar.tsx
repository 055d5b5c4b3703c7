import { getInitials } from '#ui/display/initials.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'

/**
 * The picture covers the initials, which are visible if there is no picture. It has no alternative text, because the name is displayed next
 * to it.
 */
export const Avatar = ({ name, src }: { name: string; src: string | null }) => (
  <span className="avatar" lang={getNameLang(name)}>
    {getInitials(name)}
    {src && <img src={src} alt="" />}
  </span>
)

export const getPictureUrl = (asset: string | null): string | null => asset && `/public/asset/${asset}`
