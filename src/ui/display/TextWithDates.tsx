/** Text whose dates stand in one piece each, and break no line at their hyphens. */
export const TextWithDates = ({ text }: { text: string }) =>
  text.split(/(\d{4}-\d\d-\d\d)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span className="dated" key={`${index} ${part}`}>
        {part}
      </span>
    ),
  )
