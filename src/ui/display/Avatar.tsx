import { getInitials } from '#ui/display/initials.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'

/** A person's picture over the initials, which show where there is none or it cannot be fetched; the name stands beside. */
export const Avatar = ({ name, src }: { name: string; src: string | null }) => (
  <span className="avatar" lang={getNameLang(name)}>
    {getInitials(name)}
    {src && <img src={src} alt="" />}
  </span>
)

/** Where the server shows a stored picture. */
export const getPictureUrl = (asset: string | null): string | null => asset && `/public/asset/${asset}`
