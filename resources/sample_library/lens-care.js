// When the lenses of the harbour lamps are to be cleaned next. Run it in the tide office every Monday.

const CLEANING_INTERVAL_DAYS = 90;

const LAST_CLEANED = {
  "north breakwater": "2031-01-06",
  "south quay": "2031-02-17",
  "Skerrow": "2030-12-29",
  "Marrowby point": "2031-03-01",
};

// The day on which the lens of a lamp is due.
function nextCleaning(lamp) {
  const day = new Date(LAST_CLEANED[lamp]);
  day.setUTCDate(day.getUTCDate() + CLEANING_INTERVAL_DAYS);
  return day.toISOString().slice(0, 10);
}

for (const lamp of Object.keys(LAST_CLEANED).sort((a, b) => nextCleaning(a).localeCompare(nextCleaning(b)))) {
  console.log(nextCleaning(lamp), lamp);
}
