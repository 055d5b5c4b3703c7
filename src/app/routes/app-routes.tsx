import { Route, Routes } from 'react-router-dom'
import { Guard } from '#app/routes/route-guard.tsx'
import { insideCode } from '#app/routes/page-modules.ts'
import { page } from '#app/routes/lazy-page.tsx'
import { insidePlaces, placeAt, places } from '#app/routes/paths.ts'

/** The pages behind the login. Each comes with its own code and texts. */
const pages = new Map(insidePlaces.map((place) => [place, page(insideCode[place])]))

const fallback = page({
  load: async () => (await import(/* chunk: visitors */ '#app/pages/NotFound.tsx')).Fallback,
  words: [],
})

/** Resolves when the page that an address inside leads to can be drawn. */
export async function pageReady(path: string): Promise<void> {
  await pages.get(placeAt(insidePlaces, path) ?? 'home')?.start()
}

/** Each place behind its own rule (M11). Paths are relative to /app. */
export function InsideRoutes() {
  return (
    <Routes>
      {[...pages].map(([place, { Page }]) => {
        const { path, who } = places[place]
        const element = (
          <Guard who={who}>
            <Page />
          </Guard>
        )
        return <Route key={place} path={path.slice('/app/'.length)} element={element} />
      })}
      <Route path="*" element={<fallback.Page />} />
    </Routes>
  )
}
