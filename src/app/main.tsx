/** The first script: sends for all that the address asks for, and so has nothing heavy itself. */
import '#app/trusted-types.ts'
import '#ui/tokens.css'
import '#ui/base.css'
import '#app/shell/entry.css'
import { fetchAhead } from '#app/ahead.ts'

const path = location.pathname.slice(import.meta.env.BASE_URL.length - 1) || '/'
const begun = fetchAhead(path)
void import('#app/start.tsx').then(({ start }) => start(path, begun))
